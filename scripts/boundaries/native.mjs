import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { namespaceProblems } from './namespaces.mjs';
import { HEADERS, moduleOf, NATIVE, NATIVE_FLAT, OUTSIDE } from './native-rules.mjs';

/** Comments are removed first, so that a commented include does not count. */
export function includesOf(source) {
  const bare = source.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '));
  const found = [];
  for (const [index, text] of bare.split('\n').entries()) {
    const match = /^\s*#\s*include\s*([<"])([^>"]+)[>"]/.exec(text);
    if (match) found.push({ header: match[2], line: index + 1 });
  }
  return found;
}

function problemOf(module, header) {
  for (const { pattern, module: owner } of HEADERS) {
    if (pattern.test(header) && module !== owner) return `only native/${owner} includes ${header}`;
  }
  if (header.includes('..')) return `${header}: include by the path from native/`;
  const target = header.includes('/') ? moduleOf(dirname(header)) : undefined;
  if (!target || target === module) return undefined;
  if (!NATIVE[module].includes(target)) return `${module} may not include ${target} (${header})`;
  if (NATIVE_FLAT.includes(target) || header === entryPointOf(target)) return undefined;
  return `${header} is not the entry point of ${target} (${entryPointOf(target)})`;
}

const entryPointOf = (module) => `${module}/${module.split('/').at(-1)}.h`;

export function checkNative(root) {
  const problems = [];
  const native = join(root, 'native');
  for (const file of sources(native)) {
    const module = moduleOf(dirname(relative(native, file).replaceAll('\\', '/')));
    if (!module) {
      problems.push(
        `${relative(root, file)}: its folder is not a module of scripts/boundaries/native-rules.mjs`,
      );
      continue;
    }
    for (const { header, line } of includesOf(readFileSync(file, 'utf8'))) {
      const problem = problemOf(module, header);
      if (problem) problems.push(`${relative(root, file)}:${line}: ${problem}`);
    }
  }
  return [...problems, ...checkNamespaces(root, native)];
}

function checkNamespaces(root, native) {
  return [...sources(native, [])].flatMap((file) =>
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
