// @requirement Brains: Answers 408, 429 and 5xx and overload within a stream are retried, then a second endpoint answers.
import { describe, expect, it } from 'vitest';
import { createBrainChain } from '../../../../src/conversation/brains/chain/chain.ts';
import type { Brain, BrainEvent } from '../../../../src/conversation/brains/contract.ts';
import { BrainError } from '../../../../src/conversation/brains/contract.ts';
import { createChatEndpoint } from '../../../../src/conversation/brains/endpoint/chat-endpoint.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { brainFor, collect, faultOf, request } from '../endpoint/asking.ts';
import { chatChunk, type Script, saying } from '../endpoint/scripted-endpoint.ts';

describe('a chain of brains', () => {
  const overloaded =
    (retryAfter: string): Script =>
    (_request, response) =>
      void response.writeHead(429, { 'retry-after': retryAfter }).end();

  it('asks again when it was told to, where the caller can wait for it', async () => {
    const clock = new ManualClock();
    const sound = await brainFor(saying('Here.'));
    const soon = await brainFor(overloaded('1'));
    const answer = collect(createBrainChain([soon.brain, sound.brain], { clock }));
    await expect.poll(() => clock.timers).toBe(1);
    expect(soon.endpoint.received).toHaveLength(1);
    clock.advance(1_000);
    await answer;
    expect(soon.endpoint.received).toHaveLength(2);
  });

  it('does not ask again before it was told to, in this turn or the next', async () => {
    const clock = new ManualClock();
    const sound = await brainFor(saying('Here.'));
    const late = await brainFor(overloaded(new Date(Date.now() + 60_000).toUTCString()));
    const chain = createBrainChain([late.brain, sound.brain], { clock });
    for (let turn = 0; turn < 2; turn++) {
      expect(await collect(chain)).toEqual([
        { kind: 'fallback', fault: 'overloaded' },
        { kind: 'text', text: 'Here.' },
      ]);
    }
    expect(late.endpoint.received).toHaveLength(1);
    clock.advance(10_000);
    await collect(chain);
    expect(late.endpoint.received).toHaveLength(2);
  });

  it('fails with the fault of the brain that was to answer', async () => {
    const refusing = await brainFor((_request, response) => void response.writeHead(401).end());
    const dead = createChatEndpoint({ url: 'http://127.0.0.1:9/v1', model: 'test' });
    expect(await faultOf(createBrainChain([refusing.brain, dead]))).toBe('refused');
  });

  it('lets the next brain answer for one that only thought', async () => {
    const lost = await brainFor((_request, response) => {
      response.write(chatChunk({ content: '<think>Well' }));
      setImmediate(() => response.destroy());
    });
    const sound = await brainFor(saying('Here.'));
    expect((await collect(createBrainChain([lost.brain, sound.brain]))).at(-1)).toEqual({
      kind: 'text',
      text: 'Here.',
    });
  });

  it('waits for no retry of a turn that is discarded', async () => {
    const clock = new ManualClock();
    const soon = await brainFor(overloaded('1'));
    const aborting = new AbortController();
    const answer = collect(createBrainChain([soon.brain], { clock }), request, aborting.signal);
    await expect.poll(() => clock.timers).toBe(1);
    aborting.abort();
    expect(await answer).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  it('asks again, then asks the next, and reports each fault', async () => {
    const broken = await brainFor((_request, response) => void response.writeHead(503).end());
    const sound = await brainFor(saying('Here.'));
    const faults: string[] = [];
    const chain = createBrainChain([broken.brain, sound.brain], {
      onFault: (_brain, error) => faults.push(error.fault),
    });
    expect(await collect(chain)).toEqual([
      { kind: 'fallback', fault: 'overloaded' },
      { kind: 'text', text: 'Here.' },
    ]);
    expect(faults).toEqual(['overloaded', 'overloaded']);
    expect(broken.endpoint.received).toHaveLength(2);
  });

  it('passes over a brain that was too slow, for ten seconds and while there is another', async () => {
    let asked = 0;
    const slow: Brain = {
      name: 'slow',
      // biome-ignore lint/correctness/useYield: it fails before it says anything.
      async *respond() {
        asked++;
        throw new BrainError('timeout', 'too slow', { retryable: true });
      },
    };
    const sound = await brainFor(saying('Here.'));
    const clock = new ManualClock();
    const chain = createBrainChain([slow, sound.brain], { clock });
    const fallback = { kind: 'fallback', fault: 'timeout' };
    expect((await collect(chain))[0]).toEqual(fallback);
    expect((await collect(chain))[0]).toEqual(fallback);
    expect(asked).toBe(1);
    clock.advance(10_000);
    await collect(chain);
    expect(asked).toBe(2);
    const alone = createBrainChain([slow], { clock });
    expect(await faultOf(alone)).toBe('timeout');
    expect(await faultOf(alone)).toBe('timeout');
    expect(asked).toBe(4);
  });

  it('keeps one owner’s trouble from the others, until two have it', async () => {
    let asked = 0;
    let failing = true;
    const slow: Brain = {
      name: 'slow',
      async *respond() {
        asked++;
        if (failing) throw new BrainError('timeout', 'too slow', { retryable: true });
        yield { kind: 'text', text: 'Mine.' };
      },
    };
    const sound = await brainFor(saying('Here.'));
    const clock = new ManualClock();
    const chain = createBrainChain([slow, sound.brain], { clock });
    const say = async (owner: string) => {
      const events: BrainEvent[] = [];
      for await (const event of chain.respond({ ...request, owner }, new AbortController().signal))
        events.push(event);
      return events.findLast((event) => event.kind === 'text')?.text;
    };
    await say('a');
    failing = false;
    expect(await say('a')).toBe('Here.');
    expect(await say('b')).toBe('Mine.');
    expect(await say('a')).toBe('Mine.');
    failing = true;
    await say('a');
    await say('b');
    failing = false;
    const before = asked;
    expect(await say('c')).toBe('Here.');
    expect(asked).toBe(before);
    clock.advance(10_000);
    expect(await say('c')).toBe('Mine.');
  });

  const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 0 } })}\n\n`;
  it.each<[string, Script]>([
    ['a stream that ends before the first word', (_request, response) => void response.end()],
    [
      'a stream that ends after the role',
      (_request, response) => void response.end(chatChunk({ role: 'assistant' })),
    ],
    [
      'a connection that is cut',
      (_request, response) => {
        response.write(chatChunk({ role: 'assistant' }));
        setImmediate(() => response.destroy());
      },
    ],
    [
      'a stream that ends in the middle of an event',
      (_request, response) => void response.end(chatChunk({ content: 'It costs' }).slice(0, 30)),
    ],
    [
      'a call that is cut before it is whole',
      (_request, response) =>
        void response.end(
          chatChunk({
            tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '{"o":' } }],
          }),
        ),
    ],
    [
      'its limit of tokens without a word',
      (_request, response) => void response.end(`${chatChunk({}, 'length')}${USAGE}data: [DONE]\n\n`),
    ],
    [
      'an empty answer',
      (_request, response) => void response.end(`${chatChunk({}, 'stop')}${USAGE}data: [DONE]\n\n`),
    ],
  ])('asks the same brain once more after %s, and says its words once', async (_what, cut) => {
    let asked = 0;
    const { brain, endpoint } = await brainFor((received, response) => {
      return (asked++ === 0 ? cut : saying('It costs nine.'))(received, response);
    });
    const other = await brainFor(saying('Never asked.'));
    const events = await collect(createBrainChain([brain, other.brain]));
    expect(events.filter(({ kind }) => kind === 'text' || kind === 'fallback')).toEqual([
      { kind: 'text', text: 'It costs nine.' },
    ]);
    expect(endpoint.received).toHaveLength(2);
    expect(endpoint.received[1]?.body).toEqual(endpoint.received[0]?.body);
    expect(other.endpoint.received).toHaveLength(0);
  });

  it('takes a brain at its word that is silent twice, and asks none again whose turn is over', async () => {
    const { brain, endpoint } = await brainFor(
      (_request, response) => void response.end(chatChunk({}, 'stop')),
    );
    expect(await collect(createBrainChain([brain], { attempts: 5 }))).toEqual([]);
    expect(endpoint.received).toHaveLength(2);

    const aborting = new AbortController();
    const late = await brainFor((_request, response) => {
      aborting.abort();
      response.end(chatChunk({}, 'stop'));
    });
    expect(await collect(createBrainChain([late.brain]), request, aborting.signal)).toEqual([]);
    expect(late.endpoint.received).toHaveLength(1);
  });
});
