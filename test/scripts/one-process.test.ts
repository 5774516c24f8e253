import { describe, expect, it } from 'vitest';
import { sharesItsProcess, sharingFiles } from '../shared-process.ts';

const HEAD = "import { expect, it } from 'vitest';\n";

describe('which test files share a process', () => {
  it('those that ask rooms of the product for answers', () => {
    expect(
      sharesItsProcess(
        `${HEAD}import { pick } from '../../src/speech/voices/index.ts';\nit('is', () => {});`,
      ),
    ).toBe(true);
  });

  it.each([
    "import { served } from '../faults/server-process.ts';",
    "import { createServer } from 'node:http';",
    "process.env.HOME = '/';",
    'vi.useFakeTimers();',
    'const engine = new Engine();',
    "const again = await import('../../src/main/main.ts');",
  ])('not one with %s', (line) => {
    expect(sharesItsProcess(`${HEAD}${line}`)).toBe(false);
  });

  it('there are some of each', () => {
    const files = sharingFiles(new URL('../..', import.meta.url).pathname);
    expect(files.length).toBeGreaterThan(20);
    expect(files).not.toContain('test/scripts/one-process.test.ts');
  });
});
