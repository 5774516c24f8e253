import { expect, it } from 'vitest';
import { factsOf } from '../../../src/products/recap/index.ts';
import { conversationOf } from '../../../src/products/trace/index.ts';

// @requirement Recap: Scorecards measure latency.
it('measures how long the customer waits, where the call has times', () => {
  const said = (speaker: 'agent' | 'customer', startMs: number, endMs: number) => ({
    speaker,
    text: 'Yes.',
    startMs,
    endMs,
  });
  const call = conversationOf({
    source: { kind: 'transcript', id: null },
    language: 'en',
    utterances: [
      said('customer', 0, 1000),
      said('agent', 1600, 2000),
      said('customer', 2100, 3000),
      said('agent', 2900, 4000),
      said('customer', 4500, 5000),
      said('agent', 6200, 7000),
    ],
  });
  expect(factsOf(call).agent_response_ms).toEqual({ p50: 600, p95: 1200 });
  expect(factsOf({ ...call, timed: false }).agent_response_ms).toBeNull();
});
