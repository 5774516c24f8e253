import { isIban } from '../capture/index.ts';
import { digitRuns } from './digits.ts';
import type { PiiEntity, PiiFinding } from './finding.ts';

interface CodeRun {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface CodePart extends CodeRun {
  readonly isGroup: boolean;
}

const MIXED = /(?<![\p{L}\p{M}\p{Nd}])(?=[A-Za-z]*\p{Nd})[A-Za-z\p{Nd}]{2,34}(?![\p{L}\p{M}\p{Nd}])/gu;
const LETTER = /(?<![\p{L}\p{M}\p{Nd}'’])[A-Za-z](?![\p{L}\p{M}\p{Nd}'’])/gu;
const CAPITALS = /(?<![\p{L}\p{M}\p{Nd}])[A-Z]{2,5}(?![\p{L}\p{M}\p{Nd}])/gu;
const GAP = /^[\s.,\-–/]{0,3}$/u;

function codeRuns(text: string): readonly CodeRun[] {
  const parts: CodePart[] = [];
  const taken: boolean[] = [];
  const add = (part: string, start: number, end: number, isGroup: boolean) => {
    for (let at = start; at < end; at += 1) if (taken[at]) return;
    for (let at = start; at < end; at += 1) taken[at] = true;
    parts.push({ text: part.toUpperCase(), start, end, isGroup });
  };
  for (const { 0: found, index } of text.matchAll(MIXED)) add(found, index, index + found.length, true);
  for (const run of digitRuns(text)) for (const { digits, start, end } of run) add(digits, start, end, true);
  for (const { 0: found, index } of text.matchAll(CAPITALS)) add(found, index, index + found.length, true);
  for (const { 0: found, index } of text.matchAll(LETTER)) add(found, index, index + found.length, false);
  parts.sort((a, b) => a.start - b.start);
  const runs: { text: string; start: number; end: number }[] = [];
  for (const { text: part, start, end } of parts) {
    const last = runs.at(-1);
    if (last !== undefined && GAP.test(text.slice(last.end, start))) {
      last.text += part;
      last.end = end;
    } else if (!ABBREVIATION.test(part)) runs.push({ text: part, start, end });
  }
  return runs;
}

const ABBREVIATION = /^[A-Z]{3,}$/;

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
      /national insurance(?: number)?|ni number|nino|nhs number|driver'?s licen[cs]e|driving licen[cs]e|(?:national )?id(?:entity)?(?: card)?(?: number| no\.?)|identification number/,
      /dni|nie|nif|cif|documento(?: nacional)?(?: de identidad)?|curp|rfc|cédula|licencia de conducir|número de identidad/,
      /carte d['’]identité|numéro de sécurité sociale|sécurité sociale|permis de conduire|numéro fiscal/,
      /personalausweis(?:nummer)?|ausweisnummer|steuer(?:liche)?[- ]?(?:id|identifikations)[- ]?(?:nummer)?|steuernummer|sozialversicherungsnummer|rentenversicherungsnummer|führerschein(?:nummer)?|versichertennummer/,
      /codice fiscale|carta d['’]identità|patente(?: di guida)?|partita iva/,
      /cpf|rg|nif|número de contribuinte|contribuinte|cartão de cidadão|bilhete de identidade|carta de condução|cnh/,
      /bsn|burgerservicenummer|rijbewijs(?:nummer)?|identiteitskaart|id-kaart/,
      /आधार(?: कार्ड)?(?: नंबर| संख्या)?|aadhaa?r|पैन(?: कार्ड)?|pan(?: card)?(?: number)?|ड्राइविंग लाइसेंस|मतदाता/,
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

/** Finds passport, account and national numbers by their announcement, check digits or shape. */
export function identifierFindings(text: string): readonly PiiFinding[] {
  const runs = codeRuns(text);
  const findings: PiiFinding[] = [];
  for (const run of runs)
    if (isIban(run.text)) findings.push({ type: 'IBAN', start: run.start, end: run.end });
  for (const { type, shape, isValid } of SHAPES)
    for (const { 0: found, index } of text.matchAll(shape))
      if (isValid(found)) findings.push({ type, start: index, end: index + found.length });
  for (const { type, words: announced, shape } of ANNOUNCEMENTS) {
    let next = 0;
    for (const { 0: found, index } of text.matchAll(announced)) {
      const from = index + found.length;
      while (next < runs.length && (runs[next] as CodeRun).start < from) next += 1;
      const run = runs[next];
      if (run === undefined || run.start - from > AHEAD) continue;
      const between = text.slice(from, run.start);
      if (OTHER.test(between) || SENTENCES.test(between) || !shape.test(run.text)) continue;
      findings.push({ type, start: run.start, end: run.end });
    }
  }
  return findings;
}
