import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { LEFT_OUT, NEEDS_A_COMMA, NO_SUBJECT } from './rules.mjs';
import { readSource } from './source.mjs';

const FOLDERS = ['src', 'test', 'bench', 'native', 'scripts'];
/** Other authors or a generator wrote these files, or they contain the words as data. */
const SKIPPED =
  /^(?:src\/clients|scripts\/native\/gyp|scripts\/words)(?:\/|$)|(?:^|\/)(?:vectors|node_modules)(?:\/|$)/;

function filesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => /\.(?:ts|tsx|mjs|cc|h)$/.test(path) && !SKIPPED.test(path))
    .sort();
}

export const partsOf = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .replace(/[_.]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase();

export function leftOutIn(name, kind, path) {
  const parts = partsOf(name);
  return LEFT_OUT.find(
    ({ pattern, kinds, where }) =>
      pattern.test(parts) && (kinds?.includes(kind) ?? true) && (where?.test(path) ?? true),
  );
}

export function isFragment(text) {
  if (NO_SUBJECT.test(text)) return true;
  const [first = ''] = text.split(/[.;:](?:\s|$)/);
  return NEEDS_A_COMMA.test(text) && !first.includes(',');
}

const nameProblem = (name, kind, path) => {
  const rule = leftOutIn(name, kind, path);
  return rule && `the ${kind === 'file' ? 'path' : kind} '${name}' says what the field calls ${rule.say}`;
};

const pathParts = (path) => [
  ...path.split('/').slice(1, -1),
  basename(path).replace(/(?:\.test)?\.\w+$/, ''),
];

export function findingsOf(root) {
  const findings = [];
  const classes = new Map();
  for (const path of FOLDERS.flatMap((folder) => filesBelow(root, folder))) {
    const add = (line, text) => findings.push({ path, line, text });
    const said = new Set();
    const { comments, names, classes: declared } = readSource(readFileSync(join(root, path), 'utf8'), path);
    for (const part of pathParts(path)) {
      const problem = nameProblem(part, 'file', path);
      if (problem) add(1, problem);
    }
    for (const { name, kind, line } of names) {
      const problem = nameProblem(name, kind, path);
      if (problem && !said.has(problem)) add(line, problem);
      said.add(problem);
    }
    for (const { text, line } of comments)
      if (isFragment(text)) add(line, `the comment begins with a fragment: ${text.slice(0, 60)}`);
    const [top] = path.split('/');
    if ((top === 'src' || top === 'native') && !path.startsWith('native/test/'))
      for (const { name, line } of declared)
        classes.set(`${top} ${name}`, [...(classes.get(`${top} ${name}`) ?? []), { path, line, name }]);
  }
  for (const same of classes.values()) {
    if (same.length < 2) continue;
    for (const { path, line, name } of same) {
      const others = same.filter((one) => one.path !== path).map((one) => one.path);
      findings.push({ path, line, text: `the class ${name} has the name of one in ${others.join(', ')}` });
    }
  }
  return findings.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

export const isWithin = (path, folder) =>
  folder === '' || path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`);
