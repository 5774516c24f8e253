import { expect, it } from 'vitest';
import { numberWords } from '../../../src/language/text/index.ts';
import { numeralsInWords } from '../../../src/speech/transcription/run/numerals.ts';

it.each([
  ['en', '0', 'zero'],
  ['en', '21', 'twenty-one'],
  ['en', '1,234,567', 'one million two hundred thirty-four thousand five hundred sixty-seven'],
  ['en', '3.14', 'three point one four'],
  ['en', '007', 'zero zero seven'],
  ['en', '4155552671', 'four one five five five five two six seven one'],
  ['es', '121', 'ciento veintiuno'],
  ['es', '21000', 'veintiún mil'],
  ['es', '100', 'cien'],
  ['es', '1.000.000', 'un millón'],
  ['fr', '71', 'soixante et onze'],
  ['fr', '80', 'quatre-vingts'],
  ['fr', '99', 'quatre-vingt-dix-neuf'],
  ['fr', '200', 'deux cents'],
  ['fr', '2,5', 'deux virgule cinq'],
  ['de', '21', 'einundzwanzig'],
  ['de', '1101', 'eintausendeinhunderteins'],
  ['nl', '22', 'tweeëntwintig'],
  ['nl', '1234', 'duizend tweehonderdvierendertig'],
  ['it', '23', 'ventitré'],
  ['it', '1988', 'millenovecentoottantotto'],
  ['pt', '121', 'cento e vinte e um'],
  ['pt', '1100', 'mil e cem'],
  ['hi', '42', 'बयालीस'],
  ['hi', '१२५०००', 'एक लाख पच्चीस हज़ार'],
])('%s: %s is %s', (language, written, words) => {
  expect(numberWords(written, language)).toBe(words);
});

it.each([
  ['en', 'It arrives on May 5 at 3pm.', 'It arrives on May five at three pm.'],
  [
    'en',
    'the 1st, the 22nd, the 3rd and the 20th',
    'the first, the twenty-second, the third and the twentieth',
  ],
  ['en', 'a 4x4 with 12V', 'a four x four with twelve V'],
  ['en', '[REDACTED_CARD] and 7', '[REDACTED_CARD] and seven'],
  ['de', 'um 5 Uhr 30', 'um fünf Uhr dreißig'],
])('%s: writes "%s" in words', (language, text, expected) => {
  const written = numeralsInWords({ text, words: [{ word: text, start: 0, end: 1 }] }, language);
  expect([written.text, written.words[0]?.word]).toEqual([expected, expected]);
});
