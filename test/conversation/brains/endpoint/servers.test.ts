import { describe, expect, it } from 'vitest';
import type { BrainError, BrainEvent } from '../../../../src/conversation/brains/contract.ts';
import { brainFor, collect, faultOf } from './asking.ts';
import { chatChunk } from './scripted-endpoint.ts';

describe('what servers do differently', () => {
  const textOf = (events: readonly BrainEvent[]) =>
    events.map((event) => (event.kind === 'text' ? event.text : '')).join('');

  it('speaks a refusal: it is the answer', async () => {
    const { brain } = await brainFor((_request, response) => {
      response.write(chatChunk({ content: null, refusal: "I can't help " }));
      response.end(`${chatChunk({ refusal: 'with that.' })}${chatChunk({}, 'stop')}`);
    });
    expect(textOf(await collect(brain))).toBe("I can't help with that.");
  });

  it('takes an empty error for none', async () => {
    const { brain } = await brainFor((_request, response) => {
      const chunk = {
        choices: [{ index: 0, delta: { content: 'Yes.' }, finish_reason: 'stop' }],
        error: null,
      };
      response.end(`data: ${JSON.stringify(chunk)}\n\n`);
    });
    expect(textOf(await collect(brain))).toBe('Yes.');
  });

  it.each([
    ['We open at nine.', 'We open at nine.'],
    ['« Nous ouvrons à neuf heures ! »\n', '« Nous ouvrons à neuf heures ! »\n'],
    ['We open at', 'garbage'],
    ['', 'garbage'],
    ['<think>It is done.', 'garbage'],
  ])('without a mark of the end, words that end like an answer are one: %j', async (words, expected) => {
    const { brain } = await brainFor(
      (_request, response) => void response.end(chatChunk({ content: words })),
    );
    const said = collect(brain).then(textOf, (error: BrainError) => error.fault);
    expect(await said).toBe(expected);
  });

  it('makes no call of a stream without a mark of the end', async () => {
    const { brain } = await brainFor((_request, response) => {
      const call = { index: 0, id: 'c1', function: { name: 'pay', arguments: '{"sum":1' } };
      response.end(`${chatChunk({ content: 'One moment.' })}${chatChunk({ tool_calls: [call] })}`);
    });
    expect(await faultOf(brain)).toBe('garbage');
  });
});
