const DIGIT_WORDS: readonly (readonly [string, string])[] = [
  ['0', 'zero nought naught cero zéro null nul शून्य ज़ीरो जीरो'],
  ['1', 'one uno un eins ein um een één एक वन'],
  ['2', 'two dos deux zwei zwo due dois twee दो टू'],
  ['3', 'three tres trois drei tre três drie तीन थ्री'],
  ['4', 'four cuatro quatre vier quattro quatro चार फोर फ़ोर'],
  ['5', 'five cinco cinq fünf cinque vijf पांच पाँच फाइव फ़ाइव'],
  ['6', 'six seis sechs sei zes meia छह छः छे छै सिक्स'],
  ['7', 'seven siete sept sieben sette sete zeven सात सेवन'],
  ['8', 'eight ocho huit acht otto oito आठ एट'],
  ['9', 'nine nueve neuf neun nove negen नौ नाइन'],
];

export const DIGITS: ReadonlyMap<string, string> = new Map(
  DIGIT_WORDS.flatMap(([digit, words]) =>
    words.split(' ').map((word) => [word.normalize('NFC'), digit] as const),
  ),
);

/** It is one in Portuguese and a hesitation in English, so the scan reads such a text both ways. */
export const HESITATION = 'um';

/**
 * Recognition writes these homophones of digits. They count as digits only next to digits, and only in a second
 * reading.
 */
export const HOMOPHONES: ReadonlyMap<string, string> = new Map([
  ['won', '1'],
  ['to', '2'],
  ['too', '2'],
  ['tree', '3'],
  ['for', '4'],
  ['fore', '4'],
  ['ate', '8'],
]);

export const ZERO_LETTERS: ReadonlySet<string> = new Set(['o', 'oh']);

export const MAGNITUDES: ReadonlyMap<string, string> = new Map([
  ['hundred', '00'],
  ['thousand', '000'],
]);

export const REPEATS: ReadonlyMap<string, number> = new Map([
  ['double', 2],
  ['triple', 3],
  ['treble', 3],
  ['quadruple', 4],
  ['doble', 2],
  ['doppel', 2],
  ['dubbel', 2],
  ['doppio', 2],
  ['doppia', 2],
  ['duplo', 2],
  ['triplo', 3],
  ['tripel', 3],
  ['doppelt', 2],
  ['zweimal', 2],
  ['dreimal', 3],
  ['viermal', 4],
  ['डबल', 2],
  ['ट्रिपल', 3],
]);

/** A digit before such a word repeats the next one: "dos veces cinco", "zwei mal die fünf". */
export const TIMES: ReadonlySet<string> = new Set([
  'veces',
  'fois',
  'mal',
  'बार',
  'times',
  'vezes',
  'volte',
  'keer',
]);
export const ARTICLES: ReadonlySet<string> = new Set(['die', 'der', 'el', 'le', 'la', 'the', 'o', 'il']);

export const FILLERS: ReadonlySet<string> = new Set(
  (
    'uh um er ah eh hmm dash hyphen space minus dot then and guion guión tiret strich euh ähm äh öhm öh eh em ehm heu अं अँ उम हम्म ' +
    'mhm mm hm mmhmm huh uhhuh okay ok yes yeah yep right alright sure got it sí vale oui ja हाँ हां जी'
  ).split(' '),
);
