import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { ACROSS_TENANTS, APART, ENTRY_POINTS, FLAT, OPEN_FOLDERS, TYPESCRIPT } from './rules.mjs';

export function importsOf(source, file) {
  const found = [];
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) {
      for (const item of node) visit(item);
      return;
    }
    if (/^(Import|Export)|^TSImportType$/.test(node.type ?? '')) {
      const named = node.source ?? node.argument;
      const text = named?.value ?? named?.literal?.value;
      if (typeof text === 'string') {
        const types =
          node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type';
        found.push({ specifier: text, types, line: lineAt(source, node.start) });
      }
    }
    for (const key of Object.keys(node)) if (key !== 'type') visit(node[key]);
  };
  visit(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts', astType: 'ts' }));
  return found;
}

const lineAt = (source, offset) => source.slice(0, offset).split('\n').length;

export function placeOf(path) {
  const parts = path.split('/');
  const depth = parts[0] === 'main' ? 1 : 2;
  const module = parts.slice(0, Math.min(depth, parts.length - 1)).join('/') || parts[0].replace(/\.ts$/, '');
  const apart = APART.includes(module) && parts.length > depth + 1 ? `${module}/${parts[depth]}` : undefined;
  return { module, apart, inside: parts.slice(apart ? depth + 1 : depth) };
}

function problemOf(from, to) {
  const here = placeOf(from);
  const there = placeOf(to);
  for (const { module } of [here, there]) {
    if (!TYPESCRIPT[module])
      return `'${module}' is not a module: scripts/boundaries/rules.mjs does not name it`;
  }
  if (here.module === there.module) {
    return here.apart && there.apart && here.apart !== there.apart
      ? `${here.apart} uses ${there.apart}`
      : undefined;
  }
  const allowed = TYPESCRIPT[here.module];
  if (allowed !== '*' && !allowed.includes(there.module)) return `${here.module} may not use ${there.module}`;
  if (
    here.module === 'edge/surfaces' &&
    there.module === 'edge/server' &&
    there.inside.at(-1) !== 'surface.ts'
  ) {
    return 'a surface sees only src/edge/server/surface.ts of the server';
  }
  return isEntryPoint(to, there)
    ? undefined
    : `${to} is not an entry point of ${there.apart ?? there.module} (${ENTRY_POINTS.join(', ')})`;
}

function isEntryPoint(to, { module, inside }) {
  if (module === 'main' || ENTRY_POINTS.includes(inside.at(-1))) return true;
  if (FLAT.includes(module) && inside.length === 1) return true;
  return OPEN_FOLDERS.some((folder) => to.startsWith(`${folder}/`));
}

export function cycleIn(rules) {
  const done = new Set();
  const visit = (module, path) => {
    if (path.includes(module)) return [...path.slice(path.indexOf(module)), module];
    if (done.has(module) || !Array.isArray(rules[module])) return undefined;
    for (const used of rules[module]) {
      const cycle = visit(used, [...path, module]);
      if (cycle) return cycle;
    }
    done.add(module);
    return undefined;
  };
  for (const module of Object.keys(rules)) {
    const cycle = visit(module, []);
    if (cycle) return cycle;
  }
  return undefined;
}

export function checkTypeScript(root) {
  const folder = join(root, 'src');
  const cycle = cycleIn(TYPESCRIPT);
  const problems = cycle ? [`scripts/boundaries/rules.mjs allows a cycle: ${cycle.join(' → ')}`] : [];
  for (const file of sources(folder)) {
    const from = relative(folder, file).replaceAll('\\', '/');
    const source = readFileSync(file, 'utf8');
    if (/\bacrossTenants\b/.test(source) && !ACROSS_TENANTS.includes(from))
      problems.push(`src/${from}: reads rows across tenants; use withinTenant(), or add it to the list`);
    for (const { specifier, line } of importsOf(source, file)) {
      const problem = judge(from, file, specifier);
      if (problem) problems.push(`src/${from}:${line}: ${problem}`);
    }
  }
  return problems;
}

function judge(from, file, specifier) {
  if (!specifier.startsWith('.')) {
    const uws = specifier === 'uWebSockets.js' && placeOf(from).module !== 'edge/server';
    return uws ? 'only src/edge/server knows the listener (uWebSockets.js)' : undefined;
  }
  const target = posix.normalize(posix.join(posix.dirname(from), specifier));
  if (target.startsWith('..')) {
    return specifier.endsWith('.json') ? undefined : `${specifier} is outside src/`;
  }
  if (!existsSync(join(dirname(file), specifier))) return `${specifier} does not exist`;
  return problemOf(from, target);
}

/** A folder with its own package.json is not a module: customers install it, and the server uses nothing of it. */
function* sources(folder) {
  if (!existsSync(folder) || existsSync(join(folder, 'package.json'))) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.tsx?$/.test(entry.name)) yield path;
  }
}
