// @requirement Capture: Capture knows kinds, checksums, read-back and corrections, and falls back to keys or spelling.
import { describe, expect, it } from 'vitest';
import {
  advanceCapture,
  beginCapture,
  type CaptureInput,
  type CaptureKind,
  type CaptureRequest,
  type CaptureStep,
} from '../../../src/language/capture/index.ts';

const TODAY = Date.UTC(2026, 10, 21);

const request = (kind: CaptureKind, hints: Partial<CaptureRequest['hints']> = {}): CaptureRequest => ({
  kind,
  hints: { language: 'en', today: TODAY, ...hints },
});

const inputOf = (line: string): CaptureInput => {
  if (line === '') return { kind: 'silence' };
  if (line.startsWith('#')) return { kind: 'keys', keys: line.slice(1) };
  return { kind: 'said', said: { text: line } };
};

function talk(asked: CaptureRequest, lines: readonly (string | CaptureInput)[]) {
  const says: string[] = [];
  let current: CaptureStep = beginCapture(asked);
  for (const line of lines) {
    if (current.kind === 'done') throw new Error(`done before "${JSON.stringify(line)}"`);
    says.push(current.say);
    current = advanceCapture(current.state, typeof line === 'string' ? inputOf(line) : line);
  }
  if (current.kind === 'ask') says.push(current.say);
  return { says, result: current.kind === 'done' ? current.result : null };
}

const PHONE = 'four one five, five five five, two six seven one';

describe('a telephone number', () => {
  it('is read back as a person reads it, and taken with a yes', () => {
    const { says, result } = talk(request('phone'), [PHONE, 'yes that is right']);
    expect(says).toEqual([
      'Could you tell me your phone number, please?',
      'I have 4 1 5, 5 5 5, 2 6 7 1. Is that right?',
    ]);
    expect(result).toMatchObject({ value: '+14155552671', confirmed: 'read_back', attempts: 1 });
  });

  it.each([
    ['no, seven', '4 1 5, 5 5 5, 7 6 7 1', { readSoFar: 7 }],
    ['the last one is a nine', '4 1 5, 5 5 5, 2 6 7 9', {}],
    ['no, the third digit is nine', '4 1 9, 5 5 5, 2 6 7 1', {}],
    ['not six, eight', '4 1 5, 5 5 5, 2 8 7 1', {}],
    ["it's eight, not six", '4 1 5, 5 5 5, 2 8 7 1', {}],
    ['no, four one nine', '4 1 9, 5 5 5, 2 6 7 1', {}],
    ['no, 2 6 7 9', '4 1 5, 5 5 5, 2 6 7 9', {}],
    ['no, it is four one five, five five five, two six seven nine', '4 1 5, 5 5 5, 2 6 7 9', {}],
  ])('is corrected by "%s"', (said, readBack, more) => {
    const correction: CaptureInput = { kind: 'said', said: { text: said }, ...more };
    const { says, result } = talk(request('phone'), [PHONE, correction, 'yes']);
    expect(says[2]).toBe(`I have ${readBack}. Is that right?`);
    expect(result).toMatchObject({ value: `+1${readBack.replace(/\D/g, '')}`, confirmed: 'read_back' });
  });

  it('asks where a digit belongs that could belong to several places', () => {
    const { says, result } = talk(request('phone'), [PHONE, 'no, nine', 'the third one', 'yes']);
    expect(says[2]).toBe('Which one should be 9?');
    expect(result).toMatchObject({ value: '+14195552671' });
  });

  it('comes in pieces', () => {
    const { says, result } = talk(request('phone'), [
      'four one five',
      'five five five',
      'two six seven one',
      'yes',
    ]);
    expect(says[1]).toBe('I have 4 1 5. What comes after that?');
    expect(result).toMatchObject({ value: '+14155552671' });
  });

  it('asks for the one digit that it was unsure of, and for no more', () => {
    const words = PHONE.split(' ').map((text, at) => ({ text, confidence: at === 6 ? 0.2 : 0.95 }));
    const unsure: CaptureInput = { kind: 'said', said: { text: PHONE, words } };
    const { says, result } = talk(request('phone'), [unsure, 'it is a two', 'yes']);
    expect(says[1]).toBe('I did not get the seventh one. What is it?');
    expect(result).toMatchObject({ value: '+14155552671', confirmed: 'read_back' });
  });

  it('falls to the keypad after two failures, and is taken from it at once', () => {
    const { says, result } = talk(request('phone'), ['pardon', 'what do you mean', '#4155552671#']);
    expect(says[2]).toBe('Please type your phone number on your keypad, and then press the hash key.');
    expect(result).toEqual({ value: '+14155552671', confidence: 0.99, confirmed: 'keys', attempts: 3 });
  });

  it('may be typed at any time', () => {
    expect(talk(request('phone'), ['#4155552671']).result).toMatchObject({ confirmed: 'keys' });
    expect(talk(request('phone'), [PHONE, '#4155552679']).result).toMatchObject({ value: '+14155552679' });
  });

  it('fails with a reason when neither way leads to one', () => {
    expect(talk(request('phone'), ['', '', '', '']).result).toEqual({ failed: 'no_answer', attempts: 4 });
    expect(talk(request('phone'), ['hm', 'what', 'hm', '#12']).result).toMatchObject({
      failed: 'not_understood',
    });
  });
});

describe('other kinds', () => {
  it('a code of letters falls to spelling', () => {
    const { says } = talk(request('code', { length: { min: 4, max: 4 } }), ['pardon', 'pardon']);
    expect(says[2]).toBe('Please spell the code letter by letter.');
  });

  it('a card number whose check digits fit needs no read-back', () => {
    const digits = '4539148803436467'.split('').join(' ');
    const { result } = talk(request('digits', { check: 'luhn' }), [digits]);
    expect(result).toMatchObject({ value: '4539148803436467', confirmed: 'high_confidence' });
  });

  it('one whose check digits do not fit is asked for again', () => {
    const { says } = talk(request('digits', { check: 'luhn' }), ['4539148803436468'.split('').join(' ')]);
    expect(says[1]).toMatch(/does not add up/);
  });

  it('a time without its half of the day is asked for that alone', () => {
    const { says, result } = talk(request('time'), ['at seven', 'in the evening', 'yes']);
    expect(says[1]).toBe('Is 7:00 in the morning or in the evening?');
    expect(result).toMatchObject({ value: '19:00', confirmed: 'read_back' });
  });

  it('a day is corrected by another', () => {
    const { result } = talk(request('date'), ['on Friday', 'no, on Monday', 'yes']);
    expect(result).toMatchObject({ value: '2026-11-23' });
  });

  it('a name is read back spelled, and corrected by a letter', () => {
    const { says, result } = talk(request('name'), ['my name is Smith', 'no, the third letter is Y', 'yes']);
    expect(says[1]).toBe('I have Smith, S M I T H. Is that right?');
    expect(result).toMatchObject({ value: 'Smyth' });
  });

  it('a yes or no needs no second one', () => {
    expect(talk(request('yes_no'), ['yes']).result).toMatchObject({
      value: 'yes',
      confirmed: 'high_confidence',
    });
  });

  it.each([
    [
      'es',
      'seis uno dos tres cuatro cinco seis siete ocho',
      'no, el último es nueve',
      'sí',
      '+34612345679',
      'ES',
    ],
    [
      'fr',
      'zéro six douze trente-quatre cinquante-six soixante-dix-huit',
      'non, le dernier est neuf',
      'oui',
      '+33612345679',
      'FR',
    ],
    [
      'de',
      'null drei null eins zwei drei vier fünf sechs',
      'nein, die letzte ist sieben',
      'ja',
      '+4930123457',
      'DE',
    ],
  ] as const)('a correction in %s', (language, said, correction, yes, value, country) => {
    expect(talk(request('phone', { language, country }), [said, correction, yes]).result).toMatchObject({
      value,
    });
  });
});
