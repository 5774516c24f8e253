import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { HEADERS, NATIVE } from './rules.mjs';

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

function problemOf(room, header) {
  for (const { pattern, room: owner } of HEADERS) {
    if (pattern.test(header) && room !== owner) return `only native/${owner} includes ${header}`;
  }
  const target = header.split('/')[0];
  if (header.includes('..')) return `${header}: include by the path from native/`;
  if (!header.includes('/') || !NATIVE[target] || target === room) return undefined;
  return NATIVE[room].includes(target) ? undefined : `${room} may not include ${target} (${header})`;
}

export function checkNative(root) {
  const problems = [];
  for (const room of Object.keys(NATIVE)) {
    const folder = join(root, 'native', room);
    if (!existsSync(folder)) continue;
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile() || !/\.(cc|h|inc)$/.test(entry.name)) continue;
      const file = join(entry.parentPath ?? entry.path, entry.name);
      for (const { header, line } of includesOf(readFileSync(file, 'utf8'))) {
        const problem = problemOf(room, header);
        if (problem) problems.push(`${relative(root, file)}:${line}: ${problem}`);
      }
    }
  }
  return problems;
}
