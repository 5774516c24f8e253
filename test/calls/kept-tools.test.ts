import { expect, it } from 'vitest';
import { type KeptToolCall, keptTools } from '../../src/calls/kept-tools.ts';
import { redactedTranscript } from '../../src/trace/records.ts';

const called: KeptToolCall = {
  turn_id: 1,
  name: 'charge',
  arguments: { card: '4111 1111 1111 1111', cents: 1999, to: ['ann@example.com'] },
  at_ms: 1200,
  took_ms: 300,
  result: { paid: true, note: 'Receipt sent to ann@example.com.', left: null },
};

it('keeps what a tool was given and gave back as it was, where all may be kept', async () => {
  expect(await keptTools([called], async (texts) => texts)).toEqual([called]);
  expect(await keptTools([], async (texts) => texts)).toEqual([]);
});

it('takes what is personal out of it, as out of what was said', async () => {
  const [kept] = await keptTools([called], async (texts) => redactedTranscript(texts));
  expect(kept).toMatchObject({
    name: 'charge',
    arguments: { cents: 1999 },
    result: { paid: true, left: null },
  });
  expect(JSON.stringify(kept)).not.toMatch(/4111|ann@/);
});
