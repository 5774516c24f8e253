import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { namespaceProblems } from './namespaces.mjs';
import { HEADERS, NATIVE, NATIVE_FLAT, OUTSIDE } from './native-rules.mjs';

/** Folders of native/ whose sources others wrote. */
const OTHERS = ['gyp'];

/** #include lines, with comments taken out first so that a commented include does not count. */
export function includesOf(source) {
  const bare = source.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '));
  const found = [];
  for (const [index, text] of bare.split('\n').entries()) {
    const match = /^\s*#\s*include\s*([<"])([^>"]+)[>"]/.exec(text);
    if (match) found.push({ header: match[2], line: index + 1 });
  }
  return found;
}

/** The room of a path below native/: the longest that is named, so that `text/tokens/x.h` is of `text/tokens`. */
function roomOf(path) {
  const parts = dirname(path).split('/');
  for (let length = parts.length; length > 0; length--) {
    const room = parts.slice(0, length).join('/');
    if (NATIVE[room]) return room;
  }
  return undefined;
}

function problemOf(room, header) {
  for (const { pattern, room: owner } of HEADERS) {
    if (pattern.test(header) && room !== owner) return `only native/${owner} includes ${header}`;
  }
  if (header.includes('..')) return `${header}: include by the path from native/`;
  const target = header.includes('/') ? roomOf(header) : undefined;
  if (!target || target === room) return undefined;
  if (!NATIVE[room].includes(target)) return `${room} may not include ${target} (${header})`;
  if (NATIVE_FLAT.includes(target) || header === doorOf(target)) return undefined;
  return `${header} is not the door of ${target} (${doorOf(target)})`;
}

/** A room's one door: `hear/hear.h`, `text/tokens/tokens.h`. */
const doorOf = (room) => `${room}/${room.split('/').at(-1)}.h`;

export function checkNative(root) {
  const problems = [];
  const native = join(root, 'native');
  for (const file of sources(native)) {
    const room = roomOf(relative(native, file).replaceAll('\\', '/'));
    if (!room) {
      problems.push(
        `${relative(root, file)}: its folder is no room: scripts/boundaries/native-rules.mjs does not name it`,
      );
      continue;
    }
    for (const { header, line } of includesOf(readFileSync(file, 'utf8'))) {
      const problem = problemOf(room, header);
      if (problem) problems.push(`${relative(root, file)}:${line}: ${problem}`);
    }
  }
  return [...problems, ...checkNamespaces(root, native)];
}

/** Programs that link nothing of the engine have namespaces too; what others wrote has its own. */
function checkNamespaces(root, native) {
  return [...sources(native, OTHERS)].flatMap((file) =>
    namespaceProblems(root, native, file, readFileSync(file, 'utf8')),
  );
}

function* sources(folder, without = OUTSIDE) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!without.includes(entry.name)) yield* sources(path, []);
    } else if (/\.(cc|h|inc)$/.test(entry.name)) yield path;
  }
}
