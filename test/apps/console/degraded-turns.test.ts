// @requirement Console: A call's page says in words what was done instead of an answer, and why.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OmniCall } from '../../../src/edge/surfaces/omni/call-schemas.ts';
import { root } from '../../running-server.ts';

interface Words {
  degradedTurn(turn: { step: string; reason: string; rule?: string }): string | null;
}

const { degradedTurn } = (await import(join(root, 'src/apps/console/data/degraded-turns.ts'))) as Words;

const { step, reason } = OmniCall.properties.degraded.items.properties;
const TRACE = /^trace_/;

it.each(step.enum)('has words for the step %s', (each) => {
  const why = each === 'caller' ? 'trace_flagged' : 'brain_slow';
  expect(degradedTurn({ step: each, reason: why })).toMatch(/^[A-Z]/);
});

it.each(reason.enum.filter((each) => !TRACE.test(each)))('has words for the reason %s', (each) => {
  const step = each === 'answer_too_long' ? 'answer' : 'apology';
  const said = degradedTurn({ step, reason: each });
  expect(said).not.toBeNull();
  expect(said).not.toContain('_');
});

it('says that another model answered, and which rule matched', () => {
  expect(degradedTurn({ step: 'fallback', reason: 'brain_timeout' })).toBe(
    'The next model answered, or this server without one (language model: no answer in time)',
  );
  expect(degradedTurn({ step: 'voice', reason: 'speech_slow' })).toBe('The voice was late');
  const rule = 'brand-voice@1.0.0/no-guarantees';
  expect(degradedTurn({ step: 'caller', reason: 'trace_flagged', rule })).toBe(
    `A rule of Trace matched the caller’s words (${rule})`,
  );
});

it('leaves a step of a later version to the page', () => {
  expect(degradedTurn({ step: 'whistle', reason: 'brain_slow' })).toBeNull();
});
