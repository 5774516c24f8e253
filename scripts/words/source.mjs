import { parseAst } from 'rolldown/parseAst';

const TEXT_OR_COMMENT =
  /(\/\*[\s\S]*?\*\/)|(\/\/[^\n]*)|R"(\w*)\([\s\S]*?\)\3"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'/g;

const blank = (text) => text.replace(/[^\n]/g, ' ');

function namesInTree(tree) {
  const found = [];
  const add = (node, kind) => {
    if (node?.type === 'Identifier' || node?.type === 'PrivateIdentifier')
      found.push({ name: node.name, kind, at: node.start });
  };
  const bind = (node, kind) => {
    if (!node) return;
    if (node.type === 'ObjectPattern')
      for (const one of node.properties) bind(one.value ?? one.argument, kind);
    else if (node.type === 'ArrayPattern') for (const one of node.elements) bind(one, kind);
    else if (node.type === 'AssignmentPattern') bind(node.left, kind);
    else if (node.type === 'RestElement') bind(node.argument, kind);
    else if (node.type === 'TSParameterProperty') bind(node.parameter, kind);
    else add(node, kind);
  };
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) {
      for (const item of node) visit(item);
      return;
    }
    if (/^(?:Class(?:Declaration|Expression)|TS(?:Interface|TypeAlias|Enum)Declaration)$/.test(node.type))
      add(node.id, 'type');
    else if (/Function/.test(node.type)) {
      add(node.id, 'function');
      for (const one of node.params ?? []) bind(one, 'value');
    } else if (node.type === 'VariableDeclarator') bind(node.id, 'value');
    else if (/^(?:MethodDefinition|TSMethodSignature)$/.test(node.type) && !node.computed)
      add(node.key, 'function');
    else if (/^(?:PropertyDefinition|TSPropertySignature)$/.test(node.type) && !node.computed)
      add(node.key, 'value');
    for (const key of Object.keys(node)) if (key !== 'type') visit(node[key]);
  };
  visit(tree);
  return found;
}

/** A `//` inside texts, patterns and JSX does not start a comment. */
function textSpans(tree) {
  const spans = [];
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) {
      for (const item of node) visit(item);
      return;
    }
    if (/^(?:Literal|TemplateElement|JSXText)$/.test(node.type)) spans.push([node.start, node.end]);
    for (const key of Object.keys(node)) if (key !== 'type') visit(node[key]);
  };
  visit(tree);
  return spans;
}

function readScript(source, path) {
  const lang = path.endsWith('.tsx') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'js';
  const tree = parseAst(source, { lang, astType: lang === 'js' ? 'js' : 'ts' });
  let code = source;
  for (const [start, end] of textSpans(tree))
    code = code.slice(0, start) + blank(code.slice(start, end)) + code.slice(end);
  const comments = [...code.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g)].map(({ index, 0: text }) => ({
    at: index,
    text: source.slice(index, index + text.length),
  }));
  const classes = tree.body
    .map((node) => node.declaration ?? node)
    .filter((node) => node.type === 'ClassDeclaration' && node.id)
    .map(({ id }) => ({ name: id.name, at: id.start }));
  return { comments, names: namesInTree(tree), classes };
}

const NATIVE_TYPE =
  /\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+(?:\w+::)*([A-Za-z_]\w*)\b(?!\s*::)(?=[^;()=<>,]*\{)/g;
const NATIVE_NAMES = [
  { kind: 'type', pattern: NATIVE_TYPE },
  { kind: 'type', pattern: /\busing\s+([A-Za-z_]\w*)\s*=/g },
  { kind: 'type', pattern: /\bnamespace\s+(?:\w+::)*([A-Za-z_]\w*)\s*\{/g },
  {
    kind: 'function',
    pattern:
      /^[ \t]*(?!return\b|else\b|throw\b|new\b|delete\b|case\b|co_)(?:[\w:<>,]+[ \t*&]+)+(?:\w+::)*([A-Za-z_]\w*)\s*\(/gm,
  },
  {
    kind: 'value',
    pattern:
      /^[ \t]*(?!return\b|else\b|using\b|throw\b|goto\b)(?:[\w:<>,]+[ \t*&]+)+([A-Za-z_]\w*)\s*(?:=(?!=)|;|\{|\[)/gm,
  },
];

function nativeClasses(code) {
  const found = [];
  const around = [];
  const opening =
    /\bnamespace\s*([\w:]*)\s*\{|\b(?:class|struct)\s+([A-Za-z_]\w*)\b(?!\s*::)(?=[^;()=<>,{}]*(?::[^;{}]*)?\{)|\{|\}/g;
  for (const { index, 0: text, 1: namespace, 2: name } of code.matchAll(opening)) {
    if (text === '}') around.pop();
    else if (text === '{') around.push(null);
    else if (name === undefined) around.push(namespace);
    else if (around.every((one) => one !== null))
      found.push({ name: [...around.filter(Boolean), name].join('::'), at: index });
  }
  return found;
}

function readNative(source) {
  const comments = [];
  const code = source
    .replace(TEXT_OR_COMMENT, (found, block, line, _tag, at) => {
      if (block ?? line) comments.push({ at, text: found });
      return blank(found);
    })
    .replace(/^[ \t]*#(?:.*\\\n)*.*$/gm, blank);
  const names = NATIVE_NAMES.flatMap(({ kind, pattern }) =>
    [...code.matchAll(pattern)].map((match) => ({
      name: match[1],
      kind,
      at: match.index + match[0].indexOf(match[1]),
    })),
  );
  return { comments, names, classes: nativeClasses(code) };
}

const lineStarts = (source) => [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];

export function readSource(source, path) {
  const read = /\.(?:cc|h)$/.test(path) ? readNative(source) : readScript(source, path);
  const starts = lineStarts(source);
  const lineOf = (at) => starts.findLastIndex((start) => start <= at) + 1;
  const placed = ({ at, ...rest }) => ({ ...rest, line: lineOf(at) });
  const comments = read.comments.map((one) => ({
    ...placed(one),
    own: source.slice(starts[lineOf(one.at) - 1], one.at).trim() === '',
  }));
  return { comments: joined(comments), names: read.names.map(placed), classes: read.classes.map(placed) };
}

function joined(comments) {
  const found = [];
  for (const { text, line, own } of comments) {
    const last = found.at(-1);
    const content = text.startsWith('//')
      ? text.replace(/^\/\/+/, '').trim()
      : text
          .slice(2, -2)
          .replace(/^[ \t]*\*+ ?/gm, '')
          .trim();
    if (text.startsWith('//') && own && last?.isLine && last.until === line - 1) {
      last.text += ` ${content}`;
      last.until = line;
    } else found.push({ text: content, line, until: line, isLine: text.startsWith('//') && own });
  }
  return found.map(({ text, line }) => ({ text: text.replace(/\s+/g, ' '), line }));
}
