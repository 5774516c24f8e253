import { LANGUAGE_WORDS } from '../text/index.ts';

const { counted, tens } = LANGUAGE_WORDS.de.numbers;
const value = new Map<string, number>([['ein', 1], ...counted.map((word, at) => [word, at] as const)]);
const ones = counted.slice(2, 10).join('|');
const ROUND = new Map(tens.flatMap((word, at) => (word === '' ? [] : [[word, at * 10] as const])));
const UNDER_HUNDRED = `(?:(ein|${ones})und)?(${[...ROUND.keys()].join('|')})|(${counted.slice(1).reverse().join('|')})`;
/** The words are single: `einundzwanzig`, `zweihundertfünf`, `neunzehnhundertvierundachtzig`. */
const NUMBER = new RegExp(
  `^(?:(ein|${counted.slice(2, 20).reverse().join('|')})?(hundert)(?:und)?)?(?:${UNDER_HUNDRED})?$`,
  'u',
);

const MAY_BE = /(?:[zßs]ig|zehn|hundert|elf|zwölf|hundert.{3,6})$/u;

export function germanDigits(word: string): string | null {
  const found = MAY_BE.test(word) ? NUMBER.exec(word.replace('dreissig', 'dreißig')) : null;
  if (found === null) return null;
  const [, hundreds, hundred, unit, round, small] = found;
  const rest = (ROUND.get(round ?? '') ?? 0) + (value.get(unit ?? '') ?? 0) + (value.get(small ?? '') ?? 0);
  const sum = hundred === undefined ? rest : (value.get(hundreds ?? 'ein') ?? 1) * 100 + rest;
  return sum < 10 ? null : String(sum);
}
