/** How large a file and an object may be: what outgrows it is split by what it does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { GROWN } from './grown.mjs';
import { nativeClassesOf } from './objects.mjs';

const LINES = 350;
const MEMBERS = 25;
const FOLDERS = ['src', 'bench', 'scripts', 'test', 'native', 'models'];
const SOURCE = /\.(tsx?|mjs|cc|h|py|cmake)$/;
const CLASSES = /\.(tsx?|mjs)$/;
const NATIVE_CLASSES = /\.(cc|h)$/;

/** Every class of a file, with the number of its fields, accessors and methods, the constructor among them. */
export function classesOf(source, file) {
  const found = [];
  const visit = (node, name) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) {
      for (const item of node) visit(item, name);
      return;
    }
    const called = node.id?.name ?? name;
    if (node.type === 'ClassBody') {
      const members = node.body.filter((member) => member.type !== 'TSIndexSignature');
      found.push({ name: name ?? 'a class without a name', members: members.length });
    }
    for (const key of Object.keys(node)) if (key !== 'type') visit(node[key], called);
  };
  visit(parseAst(source, languageOf(file)), undefined);
  return found;
}

const languageOf = (file) =>
  /js$/.test(file)
    ? { lang: 'js', astType: 'js' }
    : { lang: file.endsWith('x') ? 'tsx' : 'ts', astType: 'ts' };

/** What is larger than it may be. */
export function checkSizes(root) {
  const problems = [];
  const judge = (name, size, most, unit) => {
    if (size > most) problems.push(`${name}: ${size} ${unit}, ${most} are the most`);
  };
  for (const folder of FOLDERS) {
    if (!existsSync(join(root, folder))) continue;
    for (const file of sources(join(root, folder))) {
      const path = relative(root, file).replaceAll('\\', '/');
      const text = readFileSync(file, 'utf8');
      judge(path, text.split('\n').length - 1, GROWN[path] ?? LINES, 'lines');
      for (const { name, members } of objectsOf(text, path))
        judge(`${path} ${name}`, members, GROWN[`${path} ${name}`] ?? MEMBERS, 'members');
    }
  }
  return problems;
}

function objectsOf(text, path) {
  if (NATIVE_CLASSES.test(path)) return nativeClassesOf(text);
  return CLASSES.test(path) ? classesOf(text, path) : [];
}

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (SOURCE.test(entry.name)) yield path;
  }
}
