/** The namespace of native code follows its module: native/lanes/hear and its tests use `trunkline::hear`. */
import { dirname, relative } from 'node:path';
import { moduleOf, nameOf } from './native-rules.mjs';

const SKIPPED =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|R"(\w*)\([\s\S]*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:.*\\\n)*.*$/gm;

/** Blanks comments, string literals and preprocessor lines, and keeps line breaks, so that line numbers stay valid. */
const withoutText = (source) => source.replace(SKIPPED, (found) => found.replace(/[^\n]/g, ' '));

const NAMESPACE = /\bnamespace\s+([\w:]+)\s*\{/y;

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

function namespacesFor(path) {
  const folder = dirname(path);
  if (!/^test(\/|$)/.test(folder)) return [nameOf(moduleOf(folder) ?? folder)];
  const tested =
    moduleOf(folder.slice('test/'.length)) ?? (/^test\/text(\/|$)/.test(folder) ? 'text/' : undefined);
  return tested ? [nameOf(tested), 'test'] : ['test'];
}

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
