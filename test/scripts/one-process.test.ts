import { describe, expect, it } from 'vitest';
import { sharesItsProcess, sharingFiles } from '../shared-process.ts';

const HEAD = "import { expect, it } from 'vitest';\n";

function shares(source: string, helpers: Record<string, string> = {}): boolean {
  const files: Record<string, string> = { 'test/a/a.test.ts': HEAD + source };
  for (const [name, helper] of Object.entries(helpers)) files[`test/${name}`] = helper;
  return sharesItsProcess('test/a/a.test.ts', (path) => {
    const found = files[path];
    if (found === undefined) throw new Error(`${path} was read`);
    return found;
  });
}

describe('which test files share a process', () => {
  it('those that ask the product or harmless helpers for answers', () => {
    const helpers = {
      'helper.ts': "import { afterEach } from './helper-hooks.ts';\nafterEach(() => {});\nprocess.env.HOME;",
    };
    expect(shares("import { pick } from '../../src/speech/voices/index.ts';")).toBe(true);
    expect(shares("import { opened } from '../helper.ts';", helpers)).toBe(true);
  });

  it.each([
    "process.env.HOME = '/';",
    'Object.assign(process.env, {});',
    'vi.useFakeTimers();',
    'globalThis.WebSocket = Socket;',
    "readFileSync('/proc/self/statm');",
    "const again = await import('../../src/main/main.ts');",
  ])('not one with %s', (line) => {
    expect(shares(line)).toBe(false);
  });

  it('not one whose helper leaves something behind, or has a hook that holds for the first file alone', () => {
    const through = "import { a } from '../middle.ts';";
    const middle = "import { b } from './b/deep.ts';";
    expect(shares(through, { 'middle.ts': middle, 'b/deep.ts': "process.chdir('/');" })).toBe(false);
    const hook = "import { afterEach } from 'vitest';\nafterEach(() => {});";
    expect(shares(through, { 'middle.ts': middle, 'b/deep.ts': hook })).toBe(false);
  });

  it('there are some of each', () => {
    const files = sharingFiles(new URL('../..', import.meta.url).pathname);
    expect(files.length).toBeGreaterThan(300);
    expect(files).not.toContain('test/scripts/one-process.test.ts');
  });
});
