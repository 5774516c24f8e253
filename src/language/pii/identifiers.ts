import { isIban } from '../capture/index.ts';
import { type CodeRun, codeRuns, runFrom } from './code-runs.ts';
import type { PiiEntity, PiiFinding } from './finding.ts';

interface Announcement {
  readonly type: PiiEntity;
  readonly words: RegExp;
  readonly shape: RegExp;
}

const words = (...parts: readonly RegExp[]): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{M}])(?:${parts.map(({ source }) => source).join('|')})(?![\\p{L}\\p{M}])`,
    'giu',
  );

const ANNOUNCEMENTS: readonly Announcement[] = [
  {
    type: 'PASSPORT',
    words: words(
      /passports?|pasaporte|passeport|reisepass(?:nummer)?|passnummer|passaporto|passaporte|paspoort(?:nummer)?|पासपोर्ट/,
    ),
    shape: /^(?:(?=(?:.*\d){4})[A-Z0-9]{6,10}|(?=(?:.*\d){2})[A-Z0-9]{8,9})$/,
  },
  {
    type: 'IBAN',
    words: words(/iban|international bank account number/),
    shape: /^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/,
  },
  {
    type: 'NATIONAL_ID',
    words: words(
      /national insurance(?: number)?|ni number|nino|nhs number|driver'?s licen[cs]e|driving licen[cs]e|social insurance(?: number)?|tax(?:payer)? (?:id|reference)(?: number)?|(?:national )?id(?:entity)?(?: card)?(?: number| no\.?)|identification number/,
      /dni|nie|nif|cif|documento(?: nacional)?(?: de identidad)?|(?:número de la )?seguridad social|curp|rfc|cédula|licencia de conducir|número de identidad/,
      /carte d['’]identité|numéro de sécu(?:rité sociale)?|sécu(?:rité sociale)?|permis de conduire|numéro fiscal/,
      /personalausweis(?:nummer)?|ausweisnummer|steuer(?:liche)?[- ]?(?:id|identifikations)[- ]?(?:nummer)?|steuernummer|sozialversicherungsnummer|rentenversicherungsnummer|führerschein(?:nummer)?|versichertennummer/,
      /codice fiscale|tessera sanitaria|carta d['’]identità|patente(?: di guida)?|partita iva/,
      /cpf|rg|nif|niss|número de contribuinte|contribuinte|(?:número (?:d[ea] )?)?(?:identificação fiscal|segurança social)|cartão de cidadão|bilhete de identidade|carta de condução|cnh/,
      /bsn|burgerservicenummer|sofinummer|rijbewijs(?:nummer)?|identiteitskaart|id-kaart/,
      /आधार(?: कार्ड)?(?: नंबर| संख्या)?|aadhaa?r|पैन(?: कार्ड)?(?: नंबर| नम्बर| संख्या)?|pan(?: card)?(?: number)?|वोटर आईडी|voter id|ड्राइविंग लाइसेंस|मतदाता/,
    ),
    shape: /^(?=(?:.*\d){4})[A-Z0-9]{7,21}$/,
  },
  {
    type: 'ACCOUNT',
    words: words(
      /(?:(?:bank|checking|savings?|current|deposit)\s+)?accounts?(?:\s+(?:numbers?|no\.?))?|acct|routing(?:\s+number)?|sort\s?code|aba(?:\s+number)?|swift(?:\s+code)?|bic/,
      /(?:número de )?cuenta(?: bancaria| corriente| de ahorros?)?|clabe/,
      /(?:numéro de )?compte(?: bancaire| courant)?|rib/,
      /konto(?:nummer)?|bankleitzahl|blz|bankkonto/,
      /(?:numero (?:di|del) )?conto(?: corrente| bancario)?/,
      /(?:número da )?conta(?: bancária| corrente| poupança)?|agência|nib/,
      /(?:bank)?rekening(?:nummer)?/,
      /(?:बैंक )?(?:खाता|खाते|अकाउंट)(?: का)?(?: नंबर| नम्बर| संख्या)?|ifsc(?: code| कोड)?/,
    ),
    shape: /^(?:[A-Z]{4}0[A-Z0-9]{6}|\d{5,20})$/,
  },
];
const OTHER =
  /(?<!\p{L})(?:order|tracking|ticket|reference|invoice|case|booking|pedido|factura|commande|facture|référence|bestell\p{L}*|rechnung\p{L}*|ordine|fattura|bestel\p{L}*|factuur\p{L}*|phone|teléfono|téléphone|telefon\p{L}*|telefono|telefone|card|tarjeta|karte\p{L}*|kaart)(?!\p{L})/iu;
const AHEAD = 60;
const SENTENCES = /[.!]\s+\p{Lu}/u;

const SHAPES: readonly {
  readonly type: PiiEntity;
  readonly shape: RegExp;
  readonly isValid: (code: string) => boolean;
}[] = [
  {
    type: 'NATIONAL_ID',
    shape: /(?<![\p{L}\p{Nd}])[A-CEGHJ-PR-TW-Z]{2}\s?\d{2}\s?\d{2}\s?\d{2}\s?[A-D](?![\p{L}\p{Nd}])/gu,
    isValid: () => true,
  },
  {
    type: 'NATIONAL_ID',
    shape: /(?<![\p{L}\p{Nd}])(?:\d{8}|[XYZ]-?\d{7})-?\s?[A-Z](?![\p{L}\p{Nd}])/gu,
    isValid: isSpanishId,
  },
  {
    type: 'NATIONAL_ID',
    shape: /(?<![\p{L}\p{Nd}])[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z](?![\p{L}\p{Nd}])/giu,
    isValid: () => true,
  },
  { type: 'NATIONAL_ID', shape: /(?<![\p{Nd}])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\p{Nd})/gu, isValid: () => true },
  {
    type: 'NATIONAL_ID',
    shape: /(?<![\p{L}\p{Nd}])[A-Z]{5}\d{4}[A-Z](?![\p{L}\p{Nd}])/gu,
    isValid: () => true,
  },
];

function isSpanishId(code: string): boolean {
  const plain = code.replace(/[\s-]/gu, '');
  const number = Number(plain.slice(0, -1).replace('X', '0').replace('Y', '1').replace('Z', '2'));
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23] === plain.at(-1);
}

const ODD_VALUES = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];
const ITALIAN = /^[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z]$/;

/** The last letter of a codice fiscale follows from the other fifteen. */
function isItalianId(code: string): boolean {
  if (!ITALIAN.test(code)) return false;
  const sum = [...code.slice(0, -1)].reduce((total, character, at) => {
    const place = /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65;
    return total + (at % 2 === 0 ? (ODD_VALUES[place] as number) : place);
  }, 0);
  return code.charCodeAt(15) - 65 === sum % 26;
}

const FRENCH = /^[1278]\d{2}(?:0[1-9]|1[0-2]|[2-9]\d)\d{10}$/;

/** The last two digits of a French number of social security are its key. */
const isFrenchId = (code: string): boolean =>
  FRENCH.test(code) && Number(code.slice(13)) === 97 - (Number(code.slice(0, 13)) % 97);

const isProven = (code: string): boolean => isItalianId(code) || isFrenchId(code);

const isSaidSpanishId = (code: string): boolean =>
  /^(?:\d{8}|[XYZ]\d{7})[A-Z]$/.test(code) && isSpanishId(code);

const KEY = /^[\s,]{0,3}(?:et\s)?(?:la\s)?cl(?:é|ef)\s(?:(?:c['’])?est\s)?$/iu;

/** A French number is also said as thirteen digits and its key: "… clé cinquante-trois". */
function endOf(text: string, run: CodeRun, next: CodeRun | undefined): number {
  const isKey = next !== undefined && /^\d{2}$/.test(next.text) && KEY.test(text.slice(run.end, next.start));
  return isKey ? next.end : run.end;
}

interface Announced {
  readonly code: string;
  readonly start: number;
  readonly end: number;
}

type Reading = (announced: Announcement, from: number) => Announced | null;

function readingOf(text: string, runs: readonly CodeRun[]): () => Reading {
  return () => {
    let next = 0;
    return ({ shape }, from) => {
      while (next < runs.length && (runs[next] as CodeRun).end <= from) next += 1;
      const run = runs[next] && runFrom(runs[next] as CodeRun, from);
      if (run === undefined || run.start - from > AHEAD) return null;
      const between = text.slice(from, run.start);
      if (OTHER.test(between) || SENTENCES.test(between)) return null;
      const { prefix } = run;
      if (prefix !== undefined && prefix.start >= from && shape.test(prefix.text + run.text))
        return { code: prefix.text + run.text, start: prefix.start, end: run.end };
      if (!shape.test(run.text)) return null;
      return { code: run.text, start: run.start, end: endOf(text, run, runs[next + 1]) };
    };
  };
}

/** Finds passport, account and national numbers by their announcement, check digits or shape. */
export function identifierFindings(text: string): readonly PiiFinding[] {
  const runs = codeRuns(text);
  const spelled = codeRuns(text, { names: true });
  const findings: PiiFinding[] = [];
  for (const { text: code, start, end } of [...runs, ...spelled])
    if (isIban(code)) findings.push({ type: 'IBAN', start, end });
    else if (isProven(code)) findings.push({ type: 'NATIONAL_ID', start, end });
  for (const { type, shape, isValid } of SHAPES)
    for (const { 0: found, index } of text.matchAll(shape))
      if (isValid(found)) findings.push({ type, start: index, end: index + found.length });
  const readings = [readingOf(text, runs), readingOf(text, spelled)];
  for (const announcement of ANNOUNCEMENTS) {
    const read = readings.map((begin) => begin());
    for (const { 0: found, index } of text.matchAll(announcement.words)) {
      const seen = read.map((reading) => reading(announcement, index + found.length));
      const span =
        seen.find((one) => one !== null && (isProven(one.code) || isSaidSpanishId(one.code))) ??
        seen.find((one) => one !== null);
      if (span) findings.push({ type: announcement.type, start: span.start, end: span.end });
    }
  }
  return findings;
}
