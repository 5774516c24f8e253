import type { BrainLanguage } from '../contract.ts';
import { dateAt, type SpokenDate, sameDay } from './dates.ts';
import { numberAt, type SpokenNumber } from './numbers.ts';
import { clauseAround, isNegated } from './requests.ts';
import { inPartOfDay, partsIn, type SpokenTime, timeAt } from './times.ts';
import { fold, plainText, type Token, tokensOf, wordAt } from './tokens.ts';

export type Mention =
  | ({ readonly kind: 'date' } & SpokenDate)
  | ({ readonly kind: 'time' } & SpokenTime)
  | ({ readonly kind: 'number'; readonly from: number } & SpokenNumber)
  | {
      readonly kind: 'email';
      readonly value: string;
      /** Said in words, which recognition writes as it likes. */
      readonly spoken: boolean;
      readonly from: number;
      readonly to: number;
    };

/** What was said with all that has a meaning of its own marked; no two mentions share a token. */
export interface Utterance {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly mentions: readonly Mention[];
}

const WRITTEN_EMAIL = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/gu;
const DOT = '(?:dot|punto|point|punkt|डॉट)';
const SPOKEN_EMAIL = new RegExp(
  `([\\p{L}\\p{M}\\p{N}._%+-]+(?: (?:${DOT}|underscore|dash) [\\p{L}\\p{M}\\p{N}_%+-]+)*) (?:at|arroba|arobase|एट|ऐट) ` +
    `([\\p{L}\\p{M}\\p{N}-]+(?: ?(?:${DOT} |\\.)[\\p{L}\\p{M}\\p{N}-]+)+)`,
  'giu',
);
const opened = (said: string): string =>
  said
    .replace(new RegExp(` ?${DOT} `, 'giu'), '.')
    .replace(/ underscore /gi, '_')
    .replace(/ dash /gi, '-')
    .toLowerCase();

function emailsIn(text: string, tokens: readonly Token[]): Mention[] {
  const written = [...text.matchAll(WRITTEN_EMAIL)].map((found) => ({
    found,
    value: found[0],
    spoken: false,
  }));
  const spoken = [...text.matchAll(SPOKEN_EMAIL)].map((found) => ({
    found,
    value: `${opened(found[1] ?? '')}@${opened(found[2] ?? '')}`,
    spoken: true,
  }));
  return [...written, ...spoken].flatMap(({ found, value, spoken: words }) => {
    const end = found.index + found[0].length;
    const from = tokens.findIndex((token) => token.end > found.index);
    const to = tokens.findLastIndex((token) => token.start < end) + 1;
    return from < 0 ? [] : [{ kind: 'email' as const, value, spoken: words, from, to }];
  });
}

/** Reads an utterance, the surest first: what one reading has taken, no other sees. `asked`: the kind that was asked
 * for, so that "seven thirty" alone is a time. */
export function readUtterance(
  said: string,
  language: BrainLanguage,
  today: number,
  asked: 'time' | null = null,
): Utterance {
  const text = plainText(said);
  const tokens = tokensOf(text);
  const parts = partsIn(tokens, language);
  const mentions: Mention[] = emailsIn(text, tokens);
  const hidden = (): Token[] =>
    tokens.map((token, at) =>
      mentions.some(({ from, to }) => at >= from && at < to) ? { ...token, text: '\u0000' } : token,
    );
  const collect = (read: (free: readonly Token[], at: number) => Mention | null): void => {
    const free = hidden();
    for (let at = 0; at < tokens.length; at++) {
      const found = wordAt(free, at) === '\u0000' ? null : read(free, at);
      if (found === null) continue;
      mentions.push(found);
      at = found.to - 1;
    }
  };
  collect((free, at) => asTime(timeAt(free, at, language, { bare: false, parts })));
  collect((free, at) => asDate(dateAt(free, at, language, today)));
  collect((free, at) => {
    const number = numberAt(free, at, language);
    return number === null || isPronoun(free, at, language) ? null : { kind: 'number', from: at, ...number };
  });
  const ordered = joinDays(mentions.sort((a, b) => a.from - b.from));
  const timed = asked === 'time' ? withBareTime(ordered, tokens, language) : ordered;
  return { text, tokens, mentions: timed.filter((mention) => !isDeclined(text, tokens, mention, language)) };
}

const asTime = (time: SpokenTime | null): Mention | null =>
  time === null ? null : { kind: 'time', ...time };
const asDate = (date: SpokenDate | null): Mention | null =>
  date === null ? null : { kind: 'date', ...date };

/** "That one", "no one". */
const isPronoun = (tokens: readonly Token[], at: number, language: BrainLanguage): boolean =>
  language === 'en' &&
  wordAt(tokens, at) === 'one' &&
  /^(this|that|no|which|any|each|every|another|the|some)$/.test(wordAt(tokens, at - 1));

/** "Not at seven" names what the caller does not want. */
function isDeclined(
  text: string,
  tokens: readonly Token[],
  { from }: Mention,
  language: BrainLanguage,
): boolean {
  const clause = clauseAround(text, tokens[from]?.start ?? 0, language);
  return clause.trim() !== '' && isNegated(clause, language);
}

function joinDays(mentions: readonly Mention[]): Mention[] {
  const joined: Mention[] = [];
  for (const mention of mentions) {
    const before = joined.at(-1);
    const close = before?.kind === 'date' && mention.kind === 'date' && mention.from - before.to <= 2;
    const same = close ? sameDay(before, mention) : null;
    if (same === null) joined.push(mention);
    else joined[joined.length - 1] = { kind: 'date', ...same };
  }
  return joined;
}

/** An hour without any word for it, where a time was asked for and none was said. */
function withBareTime(
  mentions: readonly Mention[],
  tokens: readonly Token[],
  language: BrainLanguage,
): Mention[] {
  if (mentions.some(({ kind }) => kind === 'time')) return [...mentions];
  const parts = partsIn(tokens, language);
  return mentions.map((mention) => {
    if (mention.kind !== 'number' || mention.digits === null || isCounted(tokens, mention.to)) return mention;
    const [first = 0, ...rest] = mention.atoms;
    const run = /^(\d{1,2})(\d{2})$/.exec(mention.digits);
    const [hour, minute] =
      rest.length === 0 && first > 24 && run ? [Number(run[1]), Number(run[2])] : [first, minutesOf(rest)];
    if (hour > 24 || minute === null || minute > 59) return mention;
    const { from, to } = mention;
    return { kind: 'time', ...inPartOfDay({ hour: hour % 24, minute, from, to }, parts) };
  });
}

function minutesOf(atoms: readonly number[]): number | null {
  if (atoms.length === 0) return 0;
  const [first = 0, second] = atoms;
  if (atoms.length === 1) return first > 9 ? first : null;
  return atoms.length === 2 && first === 0 && second !== undefined && second < 10 ? second : null;
}

/** Words for what numbers count, each line one thing. */
const UNITS: readonly ReadonlySet<string>[] = [
  'people person persons guest guests party diners seats seat covers attendees personas persona comensales comensal invitados invitado asientos personnes personne invités invité couverts couvert places place personen person gäste leute लोग लोगों व्यक्ति व्यक्तियों मेहमान मेहमानों जने',
  'adult adults adulto adultos adulte adultes erwachsene वयस्क',
  'child children kid kids niño niños niña niñas enfant enfants kinder kind बच्चे बच्चा बच्चों',
  'night nights noche noches nuit nuits nacht nächte रात रातें रातों',
  'day days día días jour jours tag tage दिन दिनों',
  'week weeks semana semanas semaine semaines woche wochen हफ़्ते हफ़्ता सप्ताह',
  'month months mes meses mois monat monate महीने महीना',
  'year years año años an ans année années jahr jahre age edad âge alter साल वर्ष उम्र',
  'hour hours hora horas heure heures stunde stunden घंटे घंटा',
  'minute minutes minuto minutos minuten मिनट',
  'room rooms habitación habitaciones chambre chambres zimmer कमरा कमरे कमरों',
  'ticket tickets entrada entradas boleto boletos billet billets karten टिकट',
  'dollar dollars euro euros cent cents pound pounds peso pesos rupee rupees rupia rupias roupie roupies amount price sum payment importe monto precio montant somme prix betrag राशि रकम रुपये रुपए रुपया $ € £ ₹',
  'percent percentage por-ciento pourcent prozent प्रतिशत',
  'kilo kilos kilogram kilograms kg kilogramo kilogramos kilogramme kilogrammes किलो',
  'piece pieces item items quantity unidades piezas cantidad pièces quantité stück menge मात्रा',
].map((line) => new Set(line.split(' ').map(fold)));

export const unitOf = (word: string): number => UNITS.findIndex((unit) => unit.has(word));

/** A word behind a number that says what it counts. */
export const isCounted = (tokens: readonly Token[], at: number): boolean => unitOf(wordAt(tokens, at)) >= 0;
