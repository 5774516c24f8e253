/** How large a file and an object may be: what outgrows it is split by what it does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const LINES = 350;
const MEMBERS = 25;
const FOLDERS = ['src', 'bench', 'scripts', 'test'];
const SOURCE = /\.(tsx?|mjs|cc|h|py)$/;
const CLASSES = /\.tsx?$/;

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
  visit(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts', astType: 'ts' }), undefined);
  return found;
}

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
      judge(path, text.split('\n').length - 1, LINES, 'lines');
      if (!CLASSES.test(path)) continue;
      for (const { name, members } of classesOf(text, path))
        judge(`${path} ${name}`, members, MEMBERS, 'members');
    }
  }
  return problems;
}

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (SOURCE.test(entry.name)) yield path;
  }
}
