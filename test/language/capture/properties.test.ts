import { describe, expect, it } from 'vitest';
import {
  advanceCapture,
  beginCapture,
  type CaptureInput,
  type CaptureKind,
  type CaptureStep,
  isIban,
  READERS,
} from '../../../src/language/capture/index.ts';
import {
  isLuhnValid,
  LANGUAGE_WORDS,
  type LanguageCode,
  numberWords,
} from '../../../src/language/text/index.ts';
import { fc, runs } from '../../property-tests.ts';

const CODES = Object.keys(LANGUAGE_WORDS) as LanguageCode[];
const KINDS = Object.keys(READERS) as CaptureKind[];
const SPOKEN = ['en', 'es', 'fr', 'de', 'hi'] as const;
const digitsOf = (min: number, max: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((all) => all.join(''));

const inputs: fc.Arbitrary<CaptureInput> = fc.oneof(
  fc.record({ kind: fc.constant('silence' as const) }),
  fc.record({ kind: fc.constant('keys' as const), keys: fc.stringMatching(/^[0-9*#]{0,16}$/) }),
  fc.record({
    kind: fc.constant('said' as const),
    said: fc.record({
      text: fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.constantFrom(
          'yes',
          'no',
          'no, seven',
          'the third one is nine',
          'four one five',
          'at seven',
          'a@b.co',
          'A B C',
        ),
      ),
    }),
  }),
);

describe('digits', () => {
  it('come back as they were said one by one, in every language', () => {
    fc.assert(
      fc.property(fc.constantFrom(...CODES), digitsOf(1, 16), (language, digits) => {
        const text = [...digits].map((digit) => numberWords(digit, language)).join(' ');
        expect(READERS.digits({ text }, '', { language }).value).toBe(digits);
      }),
    );
  });

  it('come back as they were written, however they are grouped', () => {
    fc.assert(
      fc.property(digitsOf(2, 16), fc.integer({ min: 1, max: 4 }), (digits, size) => {
        const text = digits.match(new RegExp(`.{1,${size}}`, 'g'))?.join(' ') ?? '';
        expect(READERS.digits({ text }, '', { language: 'en' }).value).toBe(digits);
      }),
    );
  });
});

describe('letters', () => {
  it('come back as the words for them, in every language', () => {
    fc.assert(
      fc.property(fc.constantFrom(...CODES), fc.stringMatching(/^[A-Z]{2,8}$/), (language, code) => {
        const { alphabet } = LANGUAGE_WORDS[language].spelling;
        const text = [...code].map((letter) => alphabet[letter.charCodeAt(0) - 65]).join(' ');
        expect(READERS.code({ text }, '', { language }).value).toBe(code);
      }),
    );
  });
});

describe('check digits', () => {
  it('find every single digit that was misheard', () => {
    fc.assert(
      fc.property(digitsOf(8, 18), fc.nat(), fc.integer({ min: 1, max: 9 }), (body, where, by) => {
        const last = [...'0123456789'].find((digit) => isLuhnValid(body + digit)) ?? '';
        const whole = body + last;
        expect(isLuhnValid(whole)).toBe(true);
        const at = where % whole.length;
        const misheard = String((Number(whole[at]) + by) % 10);
        expect(isLuhnValid(whole.slice(0, at) + misheard + whole.slice(at + 1))).toBe(false);
      }),
    );
    expect(isIban('DE89370400440532013000')).toBe(true);
    expect(isIban('DE89370400440532013001')).toBe(false);
    expect(isIban('DE8937040044053201300')).toBe(false);
  });
});

describe('any dialogue', () => {
  it('ends, asks a question until then, and gives only what its reader gives', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KINDS),
        fc.constantFrom(...SPOKEN),
        fc.array(inputs, { minLength: 60, maxLength: 60 }),
        (kind, language, said) => {
          let current: CaptureStep = beginCapture({ kind, hints: { language, today: 0, currency: 'EUR' } });
          for (const input of said) {
            if (current.kind === 'done') break;
            expect(current.say.length).toBeGreaterThan(0);
            current = advanceCapture(current.state, input);
          }
          expect(current.kind).toBe('done');
          if (current.kind === 'done' && 'value' in current.result) {
            expect(current.result.value).not.toBe('');
            expect(current.result.confidence).toBeGreaterThan(0.5);
          }
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('with nobody on the line ends after four questions', () => {
    for (const kind of KINDS) {
      let current: CaptureStep = beginCapture({ kind, hints: { language: 'en' } });
      for (let turn = 0; turn < 4 && current.kind === 'ask'; turn++)
        current = advanceCapture(current.state, { kind: 'silence' });
      expect(current).toMatchObject({ kind: 'done', result: { failed: 'no_answer' } });
    }
  });

  it('takes nothing without a yes, keys or check digits', () => {
    fc.assert(
      fc.property(digitsOf(10, 10), (digits) => {
        const first = beginCapture({
          kind: 'digits',
          hints: { language: 'en', length: { min: 10, max: 10 } },
        });
        if (first.kind !== 'ask') return;
        const next = advanceCapture(first.state, { kind: 'said', said: { text: [...digits].join(' ') } });
        expect(next.kind).toBe('ask');
      }),
    );
  });
});
