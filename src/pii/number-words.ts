/** Numbers from ten on as words say them; English ones apart, which are joined otherwise. */
const listed = (first: number, words: string): [string, number][] =>
  words
    .split(' ')
    .flatMap((item, at) =>
      item.split('/').map((word): [string, number] => [word.normalize('NFC'), first + at]),
    );

/** Words that are whole. A slash stands between two ways of writing one. */
const TWO_DIGITS: ReadonlyMap<string, number> = new Map([
  ...listed(10, 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'),
  ...listed(
    10,
    'diez once doce trece catorce quince dieciséis/dieciseis diecisiete dieciocho diecinueve veinte',
  ),
  ...listed(21, 'veintiuno/veintiún veintidós/veintidos veintitrés/veintitres veinticuatro veinticinco'),
  ...listed(26, 'veintiséis/veintiseis veintisiete veintiocho veintinueve'),
  ...listed(11, 'onze douze treize quatorze quinze seize'),
  ...listed(10, 'दस ग्यारह बारह तेरह चौदह पंद्रह/पन्द्रह सोलह सत्रह अठारह/अट्ठारह उन्नीस'),
  ...listed(
    20,
    'बीस इक्कीस बाईस/बाइस तेईस/तेइस चौबीस पच्चीस छब्बीस सत्ताईस/सत्ताइस अट्ठाईस/अट्ठाइस/अठाईस उनतीस/उन्तीस',
  ),
  ...listed(30, 'तीस इकतीस/इकत्तीस बत्तीस तैंतीस/तेंतीस चौंतीस पैंतीस छत्तीस सैंतीस अड़तीस उनतालीस'),
  ...listed(40, 'चालीस इकतालीस बयालीस तैंतालीस/तेतालीस चवालीस/चौवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस उनचास'),
  ...listed(50, 'पचास इक्यावन बावन तिरपन/तिरेपन चौवन पचपन छप्पन सत्तावन अट्ठावन/अठावन उनसठ'),
  ...listed(60, 'साठ इकसठ बासठ तिरसठ/तिरेसठ चौंसठ/चौसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर'),
  ...listed(70, 'सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर उन्यासी/उनासी'),
  ...listed(80, 'अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी/अठासी नवासी'),
  ...listed(90, 'नब्बे इक्यानवे/इक्यानबे बानवे/बानबे तिरानवे/तिरानबे चौरानवे/चौरानबे पचानवे/पंचानवे छियानवे/छियानबे'),
  ...listed(97, 'सत्तानवे/सत्तानबे अट्ठानवे/अट्ठानबे निन्यानवे/निन्यानबे'),
]);

/** Words that ones may follow, and what may stand between. */
const TENS: ReadonlyMap<string, { readonly tens: number; readonly joint: string | null }> = new Map([
  ...tens(2, 'twenty thirty forty fifty sixty seventy eighty ninety', null),
  ...tens(3, 'treinta cuarenta cincuenta sesenta setenta ochenta noventa', 'y'),
  ...tens(2, 'vingt trente quarante cinquante soixante septante huitante nonante', 'et'),
]);

function tens(first: number, words: string, joint: string | null) {
  return words.split(' ').map((word, at) => [word, { tens: first + at, joint }] as const);
}

/** Whether a word says a number of two digits, or its tens. */
export const isNumberWord = (word: string): boolean => TWO_DIGITS.has(word) || TENS.has(word);

/** English words, too: numbers only beside others of their language. */
const ALSO_ENGLISH: ReadonlySet<string> = new Set(['once', 'quince', 'seize', 'cent', 'cents']);
const ROMANCE: ReadonlySet<string> = new Set([
  ...'cero uno dos tres cuatro cinco seis siete ocho nueve diez y once quince ciento veinte'.split(' '),
  ...'zéro un deux trois quatre cinq six sept huit neuf dix et vingt vingts cent cents'.split(' '),
  ...[...TWO_DIGITS.keys()].filter((word) =>
    /^(veinti|dieci|doce|trece|catorce|onze|douze|treize|quatorze|quinze)/.test(word),
  ),
  ...[...TENS].flatMap(([word, { joint }]) => (joint === null ? [] : [word])),
]);
const isNumber = (words: (at: number) => string, at: number): boolean =>
  !ALSO_ENGLISH.has(words(at)) || ROMANCE.has(words(at - 1)) || ROMANCE.has(words(at + 1));

/** What ones and hundreds are counted with, by the rest of the lexicon. */
export type DigitOf = (word: string) => string | undefined;

export interface SaidNumber {
  readonly digits: string;
  /** How many words say it. */
  readonly length: number;
}

/** A number of two digits that begins at a word. */
export function twoDigitsAt(words: (at: number) => string, at: number, digitOf: DigitOf): SaidNumber | null {
  const eighty = frenchEighty(words, at, digitOf);
  if (eighty !== null) return eighty;
  if (words(at) === 'dix') return overTen(words, at, 10, digitOf);
  const whole = TWO_DIGITS.get(words(at));
  if (whole !== undefined) return isNumber(words, at) ? { digits: String(whole), length: 1 } : null;
  const found = TENS.get(words(at));
  if (found === undefined) return null;
  const joined = found.joint !== null && words(at + 1) === found.joint ? 2 : 1;
  if (words(at) === 'soixante') {
    const over = underTwenty(words, at + joined, digitOf);
    if (over !== null) return { digits: String(60 + Number(over.digits)), length: joined + over.length };
  }
  const ones = digitOf(words(at + joined));
  // "twenty zero" are two numbers.
  if (ones !== undefined && ones !== '0') return { digits: `${found.tens}${ones}`, length: joined + 1 };
  return { digits: `${found.tens}0`, length: 1 };
}

/** "quatre-vingt", to which ten to nineteen are added as well. */
function frenchEighty(words: (at: number) => string, at: number, digitOf: DigitOf): SaidNumber | null {
  if (words(at) !== 'quatre' || !['vingt', 'vingts'].includes(words(at + 1))) return null;
  const over = underTwenty(words, at + 2, digitOf);
  if (over !== null) return { digits: String(80 + Number(over.digits)), length: 2 + over.length };
  const ones = digitOf(words(at + 2));
  if (ones !== undefined && ones !== '0') return { digits: `8${ones}`, length: 3 };
  return { digits: '80', length: 2 };
}

/** French ten to nineteen. */
function underTwenty(words: (at: number) => string, at: number, digitOf: DigitOf): SaidNumber | null {
  if (words(at) === 'dix') return overTen(words, at, 10, digitOf);
  const whole = TWO_DIGITS.get(words(at));
  return whole !== undefined &&
    whole > 10 &&
    whole < 17 &&
    /^(on|dou|trei|quator|quin|sei)ze$/.test(words(at))
    ? { digits: String(whole), length: 1 }
    : null;
}

/** "dix-sept" to "dix-neuf". */
function overTen(words: (at: number) => string, at: number, ten: number, digitOf: DigitOf): SaidNumber {
  const ones = /^(sept|huit|neuf)$/.test(words(at + 1)) ? Number(digitOf(words(at + 1))) : 0;
  return { digits: String(ten + ones), length: ones === 0 ? 1 : 2 };
}

/** Words of hundreds that are whole. */
const HUNDREDS: ReadonlyMap<string, string> = new Map([
  ...['cien', 'ciento', 'cent'].map((word) => [word, '1'] as const),
  ...'doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos'
    .split(' ')
    .map((word, at) => [word, String(at + 2)] as const),
]);
/** What a digit before it makes hundreds of. */
const HUNDRED = /^(cents?|सौ)$/u;

/** A number of three digits that begins at a word, as "ciento veintitrés", "cent vingt-trois" or "एक सौ तेईस". */
export function threeDigitsAt(
  words: (at: number) => string,
  at: number,
  digitOf: DigitOf,
): SaidNumber | null {
  const counts = HUNDRED.test(words(at + 1)) && (words(at + 1) === 'सौ' || ROMANCE.has(words(at)));
  const counted = counts ? digitOf(words(at)) : undefined;
  const hundreds = counted ?? HUNDREDS.get(words(at));
  if (hundreds === undefined || hundreds === '0' || !isNumber(words, at)) return null;
  const length = counted === undefined ? 1 : 2;
  const rest = twoDigitsAt(words, at + length, digitOf);
  if (rest !== null) return { digits: hundreds + rest.digits, length: length + rest.length };
  const ones = digitOf(words(at + length));
  if (ones !== undefined && ones !== '0') return { digits: `${hundreds}0${ones}`, length: length + 1 };
  return { digits: `${hundreds}00`, length };
}
