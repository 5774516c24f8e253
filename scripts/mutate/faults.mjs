/** Returns every fault that can be put into a line of this source. Each one changes a single line. */
export function faultsIn(source) {
  const faults = [];
  const lines = source.split('\n');
  for (const [at, text] of lines.entries()) {
    if (/^\s*(?:\/\/|\/\*|\*|import |readonly |\||(?:export )?(?:type|interface) )/.test(text)) continue;
    for (const [kind, make] of Object.entries(KINDS)) {
      const after = make(text, lines[at - 1] ?? '');
      if (after !== null && after !== text) faults.push({ line: at + 1, kind, before: text, after });
    }
  }
  return faults;
}

const KINDS = {
  'negated condition': negated,
  'dropped statement': dropped,
  'changed constant': changed,
  'swapped arguments': swapped,
  'dropped operand': narrowed,
};

function negated(text) {
  const found = /^(\s*(?:\} else )?(?:if|while) \()(.*)$/.exec(text);
  if (found === null) return null;
  const end = closing(found[2]);
  return end < 0 ? null : `${found[1]}!(${found[2].slice(0, end)})${found[2].slice(end)}`;
}

function dropped(text, before) {
  const isWhole =
    /^\s+(?:await |void )?(?!super)[\w.#?]+\(.*\);$/.test(text) || /^\s+[\w.#]+ (?:[-+]?=) .*;$/.test(text);
  const isFollowed = /(?:[=(,:?]|=>|return|else|\)|&&|\|\|)$/.test(before.trim());
  return isWhole && !isFollowed && balance(text) === 0 ? text.replace(/\S.*$/, '') : null;
}

function changed(text) {
  const found = /^(?:[^'"`/]*[\s(,:[<>=])(\d[\d_]*)(?![\w.'"`])/.exec(text);
  if (found === null) return null;
  const number = Number(found[1].replaceAll('_', ''));
  const at = found[0].length - found[1].length;
  return text.slice(0, at) + String(number < 10 ? number + 1 : number * 2) + text.slice(found[0].length);
}

function swapped(text) {
  const found = /([\w)]\()([\w.]+), ([\w.]+)([,)])/.exec(text);
  if (found === null || /\b(function|constructor)\b|\{$/.test(text)) return null;
  const [whole, open, one, other, close] = found;
  return text.replace(whole, `${open}${other}, ${one}${close}`);
}

/** The first of two conditions stands alone. */
function narrowed(text) {
  const found = / (?:&&|\|\|) ([^()&|?]+?)(?=[);]|$| \?)/.exec(text);
  return found === null || /(?:&&|\|\|)$/.test(text) ? null : text.replace(found[0], '');
}

function closing(text) {
  let depth = 0;
  for (const [at, letter] of [...text].entries()) {
    if (letter === '(') depth++;
    if (letter === ')' && depth-- === 0) return at;
  }
  return -1;
}

const balance = (text) => (text.match(/[([{]/g) ?? []).length - (text.match(/[)\]}]/g) ?? []).length;
