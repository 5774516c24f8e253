/** How many members a C++ class has: fields and functions, its constructors among them; what is deleted, defaulted, named or befriended is none. */

const SKIPPED =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|R"(\w*)\([\s\S]*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:.*\\\n)*.*$/gm;
const CLASS =
  /\b(?<!enum\s)(?:class|struct|union)\s+(?:alignas\([^)]*\)\s*)?(?:\[\[[^\]]*\]\]\s*)?([\w:]+)?\s*(?:final\s*)?(?::(?!:)[^;{}]*)?\{/g;
const LABELS = /^\s*(?:(?:public|private|protected)\s*:\s*)+/;
const NO_MEMBER = /^(?:using|friend|static_assert|enum|typedef)\b|=\s*(?:delete|default)$|^(?:virtual\s+)?~/;
const NESTED = /^(?:template\s*<[^;]*>\s*)?(?:class|struct|union)\b(?!\s+\w+\s+\w+$)/;
const CONSTANT = /^static\s+(?:inline\s+)?const(?:expr)?\b[^(]*$/;
/** What stands between the brackets of a function and its body. */
const BEFORE_BODY = /\)\s*(?:const|override|final|noexcept|&|->[^;]*|\s)*$/;
const INITIALISING = /\)\s*(?:noexcept\s*)?:[^:]/;

/** A source in which comments, texts and the preprocessor's lines are blank. */
export const withoutText = (source) => source.replace(SKIPPED, (found) => found.replace(/[^\n]/g, ' '));

/** Every class of a source, with how many members it has. */
export function nativeClassesOf(source) {
  const text = withoutText(source);
  const found = [];
  for (const match of text.matchAll(CLASS)) {
    if (/enum\s+$/.test(text.slice(Math.max(0, match.index - 8), match.index))) continue;
    const open = match.index + match[0].length - 1;
    const members = declarationsOf(text.slice(open + 1, closing(text, open))).filter(isMember);
    found.push({ name: match[1] ?? 'a class without a name', members: members.length });
  }
  return found;
}

/** Where the brace at `from` is closed. */
function closing(text, from) {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  return text.length;
}

/** The declarations of a class's body, without what stands in braces. */
function declarationsOf(body) {
  const found = [];
  let brackets = 0;
  let begun = '';
  const end = () => {
    found.push(begun.replace(LABELS, '').trim());
    begun = '';
  };
  for (let at = 0; at < body.length; at++) {
    const sign = body[at];
    if (sign === '(' || sign === '[') brackets++;
    if (sign === ')' || sign === ']') brackets--;
    if (brackets > 0 || (sign !== '{' && sign !== ';')) begun += sign;
    else if (sign === ';') end();
    else {
      at = closing(body, at);
      if (isBody(begun, body.slice(at + 1))) end();
      else begun += ' ';
    }
  }
  return found;
}

/** Whether these braces are a function's body, and not what a field or a base begins with. */
function isBody(begun, behind) {
  if (BEFORE_BODY.test(begun)) return true;
  if (!INITIALISING.test(begun)) return false;
  // Behind the braces of the last member that is initialised comes the body.
  return !/[\w>]\s*$/.test(begun) && !/^\s*,/.test(behind);
}

const isMember = (declared) =>
  declared !== '' && !NO_MEMBER.test(declared) && !NESTED.test(declared) && !CONSTANT.test(declared);
