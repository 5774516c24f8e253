// @requirement Test kit: One command turns a recorded call into a test.
import { expect, it } from 'vitest';
import {
  type Redact,
  redactToolCalls,
  type StoredToolCall,
} from '../../../src/conversation/calls/tool-call-redaction.ts';
import { redactedTranscript } from '../../../src/products/trace/records.ts';

const redacted: Redact = (talks) => Promise.all(talks.map((talk) => redactedTranscript(talk, 'org')));

const called: StoredToolCall = {
  turn_id: 1,
  name: 'charge',
  arguments: { card: '4111 1111 1111 1111', cents: 1999, to: ['ann@example.com'] },
  at_ms: 1200,
  took_ms: 300,
  result: { paid: true, note: 'Receipt sent to ann@example.com.', left: null },
};

it('keeps what a tool was given and gave back as it was, where all may be kept', async () => {
  expect(await redactToolCalls([called], async (texts) => texts)).toEqual([called]);
  expect(await redactToolCalls([], async (texts) => texts)).toEqual([]);
});

it('takes what is personal out of it, as out of what was said', async () => {
  const [stored] = await redactToolCalls([called], redacted);
  expect(stored).toMatchObject({
    name: 'charge',
    arguments: { cents: 1999 },
    result: { paid: true, left: null },
  });
  expect(JSON.stringify(stored)).not.toMatch(/4111|ann@/);
});

it('takes a number out whatever numbers stand beside it, by the name of its field too, and one that is in parts', async () => {
  const values = {
    phone: '+14155552671',
    born: '1980-02-03',
    order: 4711,
    cvv: '123',
    cardNumber: ['4111 1111', '1111 1111'],
  };
  const [stored] = await redactToolCalls([{ ...called, arguments: values, result: values }], redacted);
  const clean = {
    phone: '[REDACTED_PHONE]',
    born: '[REDACTED_BIRTH_DATE]',
    order: 4711,
    cvv: '[REDACTED_CVV]',
    cardNumber: [expect.stringContaining('[REDACTED_CARD]'), expect.stringContaining('[REDACTED_CARD]')],
  };
  expect(stored).toMatchObject({ arguments: clean, result: clean });
});
