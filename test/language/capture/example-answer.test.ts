// @requirement Capture: Recognition is biased to the kind that the agent asks for, only while it asks.
import { expect, it } from 'vitest';
import {
  advanceCapture,
  beginCapture,
  type CaptureKind,
  exampleAnswer,
  READERS,
} from '../../../src/language/capture/index.ts';

const stateOf = (kind: CaptureKind, language: 'en' | 'es' = 'en') => {
  const first = beginCapture({ kind, hints: { language } });
  if (first.kind !== 'ask') throw new Error('nothing is asked');
  return first.state;
};

it.each(['digits', 'amount'] as const)('of %s is read as one of its kind', (kind) => {
  const example = exampleAnswer(stateOf(kind)) ?? '';
  const reading = READERS[kind]({ text: example.split('. ')[0] ?? '' }, '', { language: 'en' });
  expect(reading.heard.length > 0 || reading.value !== null).toBe(true);
});

it('is none where none was measured to help', () => {
  for (const kind of ['phone', 'code', 'date'] as const) expect(exampleAnswer(stateOf(kind))).toBeNull();
  expect(exampleAnswer(stateOf('digits', 'es'))).toBeNull();
});

it('is none where the answer is a yes or no', () => {
  const asked = advanceCapture(stateOf('amount'), { kind: 'said', said: { text: 'twenty euros' } });
  if (asked.kind !== 'ask') throw new Error('it is not read back');
  expect(asked.state.phase.at).toBe('confirming');
  expect(exampleAnswer(asked.state)).toBeNull();
});
