/** Selects C++ tests for native:FILTER by module, file or name. Only their modules are compiled. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ALL = /^(?:TYPED_)?TEST(?:_[FP])?\((\w+),\s*(\w+)\)/gm;

export function chosenTests(root, filter) {
  const wanted = filter.toLowerCase();
  const programs = new Map();
  for (const { program, path, text } of testFiles(join(root, 'native/test'))) {
    const whole = path.toLowerCase().includes(wanted);
    for (const [, suite, name] of text.matchAll(ALL)) {
      if (!whole && !`${suite}.${name}`.toLowerCase().includes(wanted)) continue;
      programs.set(program, [...(programs.get(program) ?? []), ...namesOf(suite, name)]);
    }
  }
  return [...programs].map(([program, names]) => ({ program, pattern: names.join(':') }));
}

/** GoogleTest adds a prefix and a suffix to the names of typed and parameterized tests. */
const namesOf = (suite, name) => [`${suite}.${name}`, `*/${suite}.${name}/*`, `${suite}/*.${name}`];

/** lanes/hear/lane_test.cc, below native or native/test: test_hear; all of text is one program. */
export const programOf = (path) => `test_${path.startsWith('text/') ? 'text' : path.split('/').at(-2)}`;

/** The names of tests that take minutes of the processor begin so; the long form runs them, and a filter that holds them. */
export const LONG_FORM = 'LongForm';

export const longTests = (root) =>
  [...testFiles(join(root, 'native/test'))].flatMap(({ text }) =>
    [...text.matchAll(ALL)].filter(([, , name]) => name.startsWith(LONG_FORM)),
  ).length;

export const testPrograms = (root) =>
  new Set([...testFiles(join(root, 'native/test'))].map(({ program }) => program));

function* testFiles(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.cc')) continue;
    if (/(^|[\\/])(fuzz|measure|fakes)$/.test(entry.parentPath ?? entry.path)) continue;
    const file = join(entry.parentPath ?? entry.path, entry.name);
    const path = relative(folder, file).replaceAll('\\', '/');
    yield { program: programOf(path), path, text: readFileSync(file, 'utf8') };
  }
}

export function countGoogleTest({ testsuites }) {
  const all = testsuites.flatMap(({ testsuite }) => testsuite);
  const failed = all.filter(({ failures }) => failures !== undefined).length;
  const skipped = all.filter(({ result }) => result !== 'COMPLETED').length;
  return { passed: all.length - failed - skipped, failed, skipped };
}
