import { fold, plainText, type Token, tokensOf, wordAt } from '../text/index.ts';
import { completeReading, KEY_CONFIDENCE, missingReading } from './capture-reading.ts';
import type { ValueReader } from './contract.ts';
import { numberAt } from './numbers.ts';
import { decimalsOf, readAmount } from './read-back.ts';

const words = (names: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(names).flatMap(([code, list]) =>
      list.split(' ').map((word) => [fold(word), code] as const),
    ),
  );

const CURRENCIES = words({
  USD: '$ dollar dollars dólar dólares dollari डॉलर',
  EUR: '€ euro euros евро यूरो',
  GBP: '£ pound pounds libra libras livre livres pfund sterline',
  INR: '₹ rupee rupees rupia rupias roupie roupies rupien रुपये रुपए रुपया',
  MXN: 'peso pesos',
  BRL: 'real reais',
  CHF: 'franken francs franchi',
});
const MINOR = new Set(
  'cent cents céntimo céntimos centime centimes centavo centavos centesimi cêntimos pence penny paisa paise पैसे'
    .split(' ')
    .map(fold),
);
/** The call's own currency decides which of several dollars or pesos is meant. */
const SAME_NAME: readonly ReadonlySet<string>[] = [
  new Set(['USD', 'CAD', 'AUD', 'NZD', 'SGD']),
  new Set(['MXN', 'ARS', 'COP', 'CLP']),
];

const SURE = { named: 0.85, bare: 0.6 };

const AND = new Set('and y et und e en और con mit'.split(' '));

function currencyAt(tokens: readonly Token[], at: number, own: string | undefined): string | null {
  const named = CURRENCIES.get(wordAt(tokens, at));
  if (named === undefined) return null;
  const family = SAME_NAME.find((names) => names.has(named));
  return own !== undefined && family?.has(own) ? own : named;
}

interface SpokenAmount {
  readonly major: number;
  readonly currency: string | null;
  readonly to: number;
}

function majorAt(
  tokens: readonly Token[],
  at: number,
  hints: Parameters<ValueReader>[2],
): SpokenAmount | null {
  const number = numberAt(tokens, at, hints.language);
  if (number === null) return null;
  const before = currencyAt(tokens, at - 1, hints.currency);
  const behind = currencyAt(tokens, number.to, hints.currency);
  // "Twelve fifty" beside a currency is twelve and fifty hundredths.
  const [first = 0, second = 0] = number.atoms;
  const split = number.atoms.length === 2 && second > 9 && second < 100;
  const major = split ? first + second / 100 : number.value;
  return { major, currency: behind ?? before, to: number.to + (behind === null ? 0 : 1) };
}

function minorAt(tokens: readonly Token[], at: number, hints: Parameters<ValueReader>[2]): number {
  const from = AND.has(wordAt(tokens, at)) ? at + 1 : at;
  const number = numberAt(tokens, from, hints.language);
  if (number === null || number.value > 99 || number.atoms.length !== 1) return 0;
  return MINOR.has(wordAt(tokens, number.to)) || from > at ? number.value : 0;
}

/** Reads minor units and the currency: "2550 EUR". Keypresses are whole units, or use `*` as the decimal point. */
export const readAmountSaid: ValueReader = (said, keys, hints) => {
  const own = hints.currency;
  if (/^\d+(\*\d{1,2})?$/.test(keys))
    return amount(Number(keys.replace('*', '.')), own, KEY_CONFIDENCE, hints);
  const tokens = tokensOf(plainText(said.text));
  const found: { value: number; currency: string | null }[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const major = majorAt(tokens, at, hints);
    if (major === null) continue;
    const only = major.currency === null && MINOR.has(wordAt(tokens, major.to));
    const cents = major.currency === null ? 0 : minorAt(tokens, major.to, hints);
    found.push({ value: only ? major.major / 100 : major.major + cents / 100, currency: major.currency });
    at = major.to + (cents > 0 ? 2 : 0);
  }
  const named = found.filter(({ currency }) => currency !== null);
  const last = (named.length > 0 ? named : found).at(-1);
  if (last === undefined) return missingReading();
  return amount(last.value, last.currency ?? own, last.currency === null ? SURE.bare : SURE.named, hints);
};

function amount(
  value: number,
  currency: string | undefined,
  confidence: number,
  hints: Parameters<ValueReader>[2],
) {
  if (currency === undefined) return missingReading({ what: 'format' });
  const minor = Math.round(value * 10 ** decimalsOf(currency));
  return completeReading(`${minor} ${currency}`, confidence, readAmount(minor, currency, hints.language));
}
