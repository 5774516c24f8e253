import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GROUPS } from './features.ts';

const TITLE =
  /\bit(?:Long)?(?:\.(?:each|skipIf)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\(\s*(?:longForm\(\s*)?'((?:[^'\\]|\\.)*)'/g;

/**
 * Titles stand in the files as they are listed, so that a new test gets a row in the table of its page. The servers of
 * others, which `servers/` tries, have no such table: docs/limits.md names them.
 */
const titles = (readdirSync(import.meta.dirname, { recursive: true }) as string[])
  .filter((file) => file.endsWith('.test.ts') && file !== 'features.test.ts' && !file.startsWith('servers/'))
  .flatMap((file) =>
    [...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(TITLE)].map(
      ([, title]) => `${file}: ${title}`,
    ),
  );

it('lists each test, and no other', () => {
  const listed = GROUPS.flatMap(({ file, features }) => features.map(({ test }) => `${file}: ${test}`));
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.sort()).toEqual(titles.sort());
});
