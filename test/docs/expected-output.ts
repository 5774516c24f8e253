import type { Guide } from './guide.ts';

const LOOSE = /…|\b[a-z]+_[0-9A-Za-z]{6,}\b|\d[\d,.:]*/g;
const ANYTHING: Readonly<Record<string, string>> = { '…': '.*' };
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function patternOf(shown: string): RegExp {
  let pattern = '';
  let last = 0;
  for (const { 0: loose, index } of shown.matchAll(LOOSE)) {
    const stored = shown.slice(last, index);
    pattern += escaped(stored);
    pattern += ANYTHING[loose] ?? (/^\d/.test(loose) ? '[\\d,.:]+' : '\\w+');
    last = index + loose.length;
  }
  return new RegExp(`^${pattern}${escaped(shown.slice(last))}$`);
}

export function missingOutput(shown: string, said: string): string | undefined {
  const lines = said.split('\n');
  for (const wanted of shown.trimEnd().split('\n')) {
    const pattern = patternOf(wanted);
    const at = lines.findIndex((line) => pattern.test(line.trimEnd()));
    if (at === -1) return wanted;
    lines.splice(0, at + 1);
  }
  return undefined;
}

export function unsaidJson(shown: unknown, said: unknown, path = '$'): string | undefined {
  if (typeof shown === 'string')
    return typeof said === 'string' && patternOf(shown).test(said) ? undefined : path;
  if (typeof shown === 'number') return typeof said === 'number' ? undefined : path;
  if (typeof shown !== 'object' || shown === null) return shown === said ? undefined : path;
  if (typeof said !== 'object' || said === null) return path;
  for (const [name, value] of Object.entries(shown)) {
    const wrong = unsaidJson(value, (said as Record<string, unknown>)[name], `${path}.${name}`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

export function unsaidIn({ blocks }: Guide, said: ReadonlyMap<number, string>): string | undefined {
  let last = '';
  for (const block of blocks) {
    last = said.get(block.line) ?? last;
    if (block.kind !== 'output') continue;
    const wrong =
      block.language === 'json'
        ? unsaidJson(JSON.parse(block.text), JSON.parse(last.slice(last.lastIndexOf('\n{') + 1)))
        : missingOutput(block.text, last);
    if (wrong !== undefined) return `line ${block.line}: ${wrong}, in what was said:\n${last}`;
  }
  return undefined;
}
