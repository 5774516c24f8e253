/** The namespace of native code is its room's: what stands in native/hear, or tests it, is named `trunkline::hear`. */
import { relative, sep } from 'node:path';
import { NATIVE } from './native-rules.mjs';

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

/** What a file below native/ may name its namespace. Tests of a room stand beside it; what they share is of `test`. */
function namespacesFor(path) {
  const [first, second] = path.split(sep);
  if (first !== 'test') return [first];
  return ROOMS.has(second) ? [second, 'test'] : ['test'];
}

const ROOMS = new Set(Object.keys(NATIVE).map((room) => room.split('/')[0]));

/** What is wrong with the namespaces of `file`. */
export function namespaceProblems(root, native, file, source) {
  const allowed = namespacesFor(relative(native, file));
  const fits = (name) => allowed.some((room) => `${name}::`.startsWith(`trunkline::${room}::`));
  return namespacesOf(source)
    .filter(({ name }) => !fits(name))
    .map(({ name, line }) => {
      const asked = allowed.map((room) => `trunkline::${room}`).join(' or ');
      return `${relative(root, file)}:${line}: namespace ${name}, where its folder asks for ${asked}`;
    });
}
