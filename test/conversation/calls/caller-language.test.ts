import { expect, it } from 'vitest';
import { CallerLanguage } from '../../../src/conversation/calls/caller-language.ts';
import type { ServedLanguage } from '../../../src/conversation/calls/configuration.ts';
import type { CallerUtterance } from '../../../src/conversation/session/index.ts';

type Utterance = readonly [text: string, language?: string, odds?: number, spokenMs?: number];

const utterance = ([text, language, odds = 0.97, spokenMs = 2_000]: Utterance): CallerUtterance => ({
  utterance: 1,
  text,
  startMs: 0,
  endMs: spokenMs,
  atMs: spokenMs + 500,
  asrMs: 0,
  ...(language === undefined ? {} : { identified: { language, odds, spokenMs } }),
});

function followed(
  languages: readonly ServedLanguage[],
  first: ServedLanguage,
  ...said: readonly Utterance[]
) {
  const caller = new CallerLanguage(() => languages);
  let current = first;
  const reasons: string[] = [];
  const path = said.map((one) => {
    const decision = caller.heard(utterance(one), current);
    if (decision !== null) reasons.push(decision.reason);
    current = decision?.to ?? current;
    return current;
  });
  return { path, reasons };
}

const ENGLISH = ['I would like to change my appointment', 'en'] as const;
const SPANISH = ['Quiero cambiar mi cita', 'es'] as const;

it('follows a caller behind the second utterance in another language', () => {
  expect(followed(['en', 'es'], 'en', ENGLISH, SPANISH, SPANISH, SPANISH, ENGLISH, ENGLISH)).toEqual({
    path: ['en', 'en', 'es', 'es', 'es', 'en'],
    reasons: ['detected', 'detected'],
  });
});

it('stays where the two are not in a row', () => {
  expect(followed(['en', 'es'], 'en', SPANISH, ENGLISH, SPANISH).path).toEqual(['en', 'en', 'en']);
  expect(followed(['en', 'es', 'fr'], 'en', SPANISH, ['Je voudrais venir', 'fr'], SPANISH).path).toEqual([
    'en',
    'en',
    'en',
  ]);
});

it.each<[string, Utterance]>([
  ['one word', ['Gracias', 'es']],
  ['what is short', ['Muchas gracias', 'es', 0.97, 700]],
  ['what may be in another language', ['Quiero cambiar mi cita', 'es', 0.8]],
  ['what was not identified', ['Quiero cambiar mi cita']],
])('does not count %s, and waits for what is clear', (_, unclear) => {
  expect(followed(['en', 'es'], 'en', unclear, unclear, unclear).path).toEqual(['en', 'en', 'en']);
  expect(followed(['en', 'es'], 'en', SPANISH, unclear, SPANISH).path).toEqual(['en', 'en', 'es']);
});

it('counts an utterance that is likely together with one that leaves no doubt', () => {
  const likely: Utterance = ['Quiero cambiar mi cita', 'es', 0.88];
  const sure: Utterance = ['Quiero cambiar mi cita', 'es', 0.985];
  expect(followed(['en', 'es'], 'en', sure, likely).path.at(-1)).toBe('es');
  expect(followed(['en', 'es'], 'en', likely, sure).path.at(-1)).toBe('es');
  expect(followed(['en', 'es'], 'en', likely, ENGLISH, sure).path.at(-1)).toBe('en');
  expect(followed(['en', 'es'], 'en', likely, likely, likely).path.at(-1)).toBe('en');
  const english = (odds: number): Utterance => ['I paid on Monday', 'en', odds];
  expect(followed(['en', 'hi'], 'hi', english(0.99), english(0.88), english(0.99)).path.at(-1)).toBe('hi');
});

it('decides nothing for an agent of one language, nor for a language that the agent has not', () => {
  expect(followed(['en'], 'en', SPANISH, SPANISH).path).toEqual(['en', 'en']);
  expect(followed([], 'en', ['¿Podemos hablar en español?', 'es']).path).toEqual(['en']);
  expect(followed(['en', 'fr'], 'en', ['Can we speak Spanish?', 'en']).path).toEqual(['en']);
});

it('goes on at once in the language that the caller asks for', () => {
  expect(followed(['en', 'es', 'fr'], 'en', ['Can we speak Spanish, please?', 'en'])).toEqual({
    path: ['es'],
    reasons: ['asked'],
  });
  expect(followed(['en', 'es', 'fr'], 'es', ['In English, please.']).path).toEqual(['en']);
});

it('keeps a caller who mixes Hindi and English in Hindi', () => {
  const mixed: Utterance[] = [
    ['मेरा order अभी तक नहीं आया', 'hi'],
    ['मेरा account number क्या है', 'en'],
    ['I paid yesterday', 'en'],
    ['payment हो गया है', 'hi'],
    ['please check my order', 'en'],
    ['it was last Monday', 'en'],
    ['नहीं नहीं, वह दूसरा है', 'hi'],
  ];
  expect(new Set(followed(['en', 'hi'], 'hi', ...mixed).path)).toEqual(new Set(['hi']));
  expect(followed(['en', 'hi'], 'en', ...mixed)).toEqual({
    path: ['en', 'hi', 'hi', 'hi', 'hi', 'hi', 'hi'],
    reasons: ['detected'],
  });
  expect(followed(['en', 'hi'], 'hi', ENGLISH, ENGLISH, ENGLISH, ENGLISH).path.at(-1)).toBe('en');
});
