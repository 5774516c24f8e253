/** Some C++ tests: of native:FILTER, those whose room, file or name holds FILTER. Only their rooms are compiled. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ALL = /^(?:TYPED_)?TEST(?:_[FP])?\((\w+),\s*(\w+)\)/gm;

/** Which programs hold them: [{ room, pattern }], the pattern as GoogleTest reads it. */
export function chosenTests(root, filter) {
  const wanted = filter.toLowerCase();
  const rooms = new Map();
  for (const { room, path, text } of testFiles(join(root, 'native/test'))) {
    const whole = path.toLowerCase().includes(wanted);
    for (const [, suite, name] of text.matchAll(ALL)) {
      if (!whole && !`${suite}.${name}`.toLowerCase().includes(wanted)) continue;
      rooms.set(room, [...(rooms.get(room) ?? []), ...namesOf(suite, name)]);
    }
  }
  return [...rooms].map(([room, names]) => ({ room, pattern: names.join(':') }));
}

/** A test with values or types carries more on both sides of its name. */
const namesOf = (suite, name) => [`${suite}.${name}`, `*/${suite}.${name}/*`, `${suite}/*.${name}`];

function* testFiles(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.cc')) continue;
    const file = join(entry.parentPath ?? entry.path, entry.name);
    const path = relative(folder, file).replaceAll('\\', '/');
    yield { room: path.split('/')[0], path, text: readFileSync(file, 'utf8') };
  }
}

/** GoogleTest's own report of one program. */
export function countGoogleTest({ testsuites }) {
  const all = testsuites.flatMap(({ testsuite }) => testsuite);
  const failed = all.filter(({ failures }) => failures !== undefined).length;
  const skipped = all.filter(({ result }) => result !== 'COMPLETED').length;
  return { passed: all.length - failed - skipped, failed, skipped };
}
