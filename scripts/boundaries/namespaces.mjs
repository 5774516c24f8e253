/** The namespace of native code is its module's: native/lanes/hear and its tests are in `trunkline::hear`. */
import { dirname, relative } from 'node:path';
import { moduleOf, nameOf } from './native-rules.mjs';

const SKIPPED =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|R"(\w*)\([\s\S]*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:.*\\\n)*.*$/gm;

/** A source in which comments, texts and the preprocessor's lines are blank. */
const withoutText = (source) => source.replace(SKIPPED, (found) => found.replace(/[^\n]/g, ' '));

const NAMESPACE = /\bnamespace\s+([\w:]+)\s*\{/y;

/** The outermost namespaces of a source, without those that have no name. */
export function namespacesOf(source) {
  const text = withoutText(source);
  const found = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    NAMESPACE.lastIndex = at;
    const match = depth === 0 ? NAMESPACE.exec(text) : null;
    if (match) found.push({ name: match[1], line: text.slice(0, at).split('\n').length });
    if (text[at] === '{') depth++;
    if (text[at] === '}') depth--;
  }
  return found;
}

/** The namespaces that a file below native/ may have: its module's, and `test` for what tests share. */
function namespacesFor(path) {
  const folder = dirname(path);
  if (!/^test(\/|$)/.test(folder)) return [nameOf(moduleOf(folder) ?? folder)];
  const tested =
    moduleOf(folder.slice('test/'.length)) ?? (/^test\/text(\/|$)/.test(folder) ? 'text/' : undefined);
  return tested ? [nameOf(tested), 'test'] : ['test'];
}

/** Returns the problems with the namespaces of `file`. */
export function namespaceProblems(root, native, file, source) {
  const allowed = namespacesFor(relative(native, file).replaceAll('\\', '/'));
  const fits = (name) => allowed.some((own) => `${name}::`.startsWith(`trunkline::${own}::`));
  return namespacesOf(source)
    .filter(({ name }) => !fits(name))
    .map(({ name, line }) => {
      const asked = allowed.map((own) => `trunkline::${own}`).join(' or ');
      return `${relative(root, file)}:${line}: namespace ${name}, where its folder asks for ${asked}`;
    });
}
