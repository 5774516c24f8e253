// @requirement Brains: A brain that is cut, stalls or sends an error within a sentence is replaced within 400 ms of its bound, and the next brain finishes the sentence.
import { describe, expect, it } from 'vitest';
import { createBrainChain } from '../../../../src/conversation/brains/chain/chain.ts';
import type { Brain, BrainEvent, BrainRequest } from '../../../../src/conversation/brains/contract.ts';
import { BrainError } from '../../../../src/conversation/brains/contract.ts';
import { createRealtimeBrain } from '../../../../src/conversation/brains/index.ts';
import { createResponder } from '../../../../src/conversation/responder/index.ts';
import { ClauseSplitter } from '../../../../src/conversation/session/clause-splitter.ts';
import { brainFor, cleanups, collect, faultOf, request } from '../endpoint/asking.ts';
import { chatChunk, type ReceivedRequest, type Script } from '../endpoint/scripted-endpoint.ts';
import { RealtimeServer, words } from '../realtime/realtime-server.ts';

const TOKENS = [
  'We',
  ' open',
  ' at',
  ' nine',
  ',',
  ' and',
  ' on',
  ' Sun',
  'days',
  ' at',
  ' half',
  ' past',
  ' ten',
  '.',
];
const ANSWER = TOKENS.join('');

const messagesOf = ({ body }: Pick<ReceivedRequest, 'body'>) =>
  body.messages as { role: string; content: string }[];

/** The words that the request says were spoken before. */
function begunIn(received: Pick<ReceivedRequest, 'body'>): string {
  const [before, last] = messagesOf(received).slice(-2);
  return before?.role === 'assistant' && last?.content.includes('Continue') === true ? before.content : '';
}

const writing =
  (rest: (begun: string) => string): Script =>
  (received, response) => {
    const text = rest(begunIn(received));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const token of text.match(/\s*\S{1,4}/g) ?? []) response.write(chatChunk({ content: token }));
    response.end(`${chatChunk({}, 'stop')}data: [DONE]\n\n`);
  };

/** Returns what reaches the voice; what was queued there before the fault stays. */
function spoken(events: readonly BrainEvent[]): string {
  const splitter = new ClauseSplitter();
  const pieces: string[] = [];
  for (const event of events) {
    if (event.kind === 'text') pieces.push(...splitter.add(event.text));
    if (event.kind === 'fallback') splitter.dropLast(event.dropped ?? 0);
  }
  return [...pieces, ...splitter.end()].join(' ');
}

const HOSTILE: [string, (response: Parameters<Script>[1]) => void, string][] = [
  ['cuts the connection', (response) => response.write(': cut\n\n', () => response.destroy()), 'unreachable'],
  ['ends the stream', (response) => response.end(), 'garbage'],
  ['stalls', () => undefined, 'timeout'],
  ['sends no JSON', (response) => response.write('data: }{\n\n'), 'garbage'],
  [
    'reports an error',
    (response) => response.write('data: {"error":{"message":"out of credit"}}\n\n'),
    'refused',
  ],
];

describe.each(HOSTILE)('a model that %s', (_what, fail, fault) => {
  it('is continued by the next, whichever token was its last', { timeout: 60_000 }, async () => {
    for (let sent = 1; sent < TOKENS.length; sent++) {
      const hostile = await brainFor(
        (_request, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          for (const token of TOKENS.slice(0, sent)) response.write(chatChunk({ content: token }));
          fail(response);
        },
        { stallMs: 60 },
      );
      const next = await brainFor(writing((begun) => ANSWER.slice(begun.length)));
      const events = await collect(createBrainChain([hostile.brain, next.brain]));
      expect(spoken(events)).toBe(ANSWER);
      expect(events.find(({ kind }) => kind === 'fallback')).toMatchObject({ fault });
      expect(next.endpoint.received).toHaveLength(1);
      expect(hostile.endpoint.received).toHaveLength(1);
    }
  });
});

it.each<[string, string, BrainError['fault'], number]>([
  ['cut within its words is asked again in the next turn', 'We open at ni', 'unreachable', 2],
  ['cut before its words is left out of the next turn', '', 'unreachable', 1],
  ['late within its words is left out of the next turn', 'We open at ni', 'timeout', 1],
])('a brain that was %s', async (_how, said, fault, turns) => {
  const answering = failing(said, fault);
  let asked = 0;
  const counted: Brain = {
    name: 'failing',
    respond: (...of) => {
      asked += 1;
      return answering.respond(...of);
    },
  };
  const next = await brainFor(writing((begun) => 'We open at nine.'.slice(begun.length)));
  const chain = createBrainChain([counted, next.brain], { attempts: 1 });
  for (let turn = 0; turn < 2; turn++) expect(spoken(await collect(chain))).toBe('We open at nine.');
  expect(asked).toBe(turns);
});

it('a realtime model that is cut after any word is continued by the next', { timeout: 60_000 }, async () => {
  for (let sent = 1; sent < TOKENS.length; sent++) {
    const server = await RealtimeServer.start((turn) => {
      for (const token of TOKENS.slice(0, sent)) turn.send(words(token));
      turn.socket.close(1011);
    });
    const hostile = createRealtimeBrain({ url: server.url, model: 'm' });
    cleanups.push(
      () => server.close(),
      () => hostile.close(),
    );
    const next = await brainFor(writing((begun) => ANSWER.slice(begun.length)));
    const events = await collect(createBrainChain([hostile, next.brain]));
    expect(spoken(events)).toBe(ANSWER);
  }
});

it('a realtime model continues another’s words after the sound of the caller', async () => {
  const server = await RealtimeServer.start((turn) => {
    turn.send(words('nine.'));
    turn.send({ type: 'response.done', response: { status: 'completed' } });
  });
  const next = createRealtimeBrain({ url: server.url, model: 'm' });
  cleanups.push(
    () => server.close(),
    () => next.close(),
  );
  const callerAudio = {
    text: 'When do you open?',
    pcm: new Uint8Array(4_800),
    sentTo: () => ({ received: () => undefined, spoke: () => undefined, failed: () => undefined }),
  };
  const events = await collect(createBrainChain([failing('We open at ni'), next]), {
    ...request,
    callerAudio,
  });
  expect(spoken(events)).toBe('We open at nine.');
  const sent = server.last.events.slice(1).map(({ type, item }) => item?.role ?? type);
  expect(sent).toEqual([
    'input_audio_buffer.append',
    'input_audio_buffer.commit',
    'assistant',
    'user',
    'response.create',
  ]);
});

const failing = (said: string, fault: BrainError['fault'] = 'timeout'): Brain => ({
  name: 'failing',
  async *respond() {
    for (const token of said.match(/\s*\S{1,4}|\s+$/g) ?? []) yield { kind: 'text', text: token };
    throw new BrainError(fault, 'it broke', { retryable: true });
  },
});

const BEGUN = 'Our desk is open. It closes at five on';
const REST = 'It closes at five on Friday evenings.';

it.each([
  ['goes on with the next word', 'on Friday evenings.'],
  ['begins with a space', ' on Friday evenings.'],
  ['repeats the last words', 'closes at five on Friday evenings.'],
  ['repeats the sentence', REST],
  ['starts over', `Our desk is open. ${REST}`],
  ['starts over in other case and marks', 'our desk is OPEN, it closes at five, on Friday evenings.'],
])('says no word twice where the next model %s', async (_what, said) => {
  const next = await brainFor(writing(() => said));
  expect(spoken(await collect(createBrainChain([failing(BEGUN), next.brain])))).toBe(
    `Our desk is open. ${REST}`,
  );
});

it.each([
  ['At nine in the morning, or at ni', 'nine or at ten.', 'At nine in the morning, or at nine or at ten.'],
  ['Your code is 5 5 ', '5 2 1.', 'Your code is 5 5 5 2 1.'],
  ['Your code is 5 5 ', '5 5 1.', 'Your code is 5 5 5 5 1.'],
  ['Dial 4 2 ', '2 7.', 'Dial 4 2 2 7.'],
  ['No, no, ', 'no problem.', 'No, no, no problem.'],
])('keeps what only looks like a repetition: %s|%s', async (begun, rest, whole) => {
  const next = await brainFor(writing(() => rest));
  expect(spoken(await collect(createBrainChain([failing(begun), next.brain])))).toBe(whole);
});

it('leaves out the only word that was said', async () => {
  const next = await brainFor(writing(() => 'Yes, we open at nine.'));
  expect(spoken(await collect(createBrainChain([failing('Yes, '), next.brain])))).toBe(
    'Yes, we open at nine.',
  );
});

it('asks the same model once more where only the built-in responder is left', async () => {
  let asked = 0;
  const { brain, endpoint } = await brainFor((received, response) => {
    if (++asked > 1) return void writing((begun) => ANSWER.slice(begun.length))(received, response);
    response.write(chatChunk({ content: 'We open at ni' }));
    setImmediate(() => response.destroy());
  });
  const events = await collect(createBrainChain([brain, createResponder({ personaIsForModel: true })]));
  expect(spoken(events)).toBe(ANSWER);
  expect(endpoint.received).toHaveLength(2);
});

it('lets the built-in responder start a sentence of its own', async () => {
  const passages = [{ text: 'Parcels are delivered until noon.' }];
  const asked: BrainRequest = {
    ...request,
    messages: [{ role: 'user', content: 'When are parcels delivered?' }],
    passages,
  };
  const chain = createBrainChain([
    failing('Of course, gladly. Your parcel comes on Tues'),
    createResponder({ personaIsForModel: true }),
  ]);
  expect(spoken(await collect(chain, asked))).toBe('Of course, gladly. Parcels are delivered until noon.');
});

it('fails where nobody finishes the sentence', async () => {
  const saying = (text: string): Brain => ({
    name: 'short',
    async *respond() {
      yield { kind: 'text', text };
    },
  });
  const begun = failing('We open at ni');
  for (const said of ['', 'We open at'])
    expect(await faultOf(createBrainChain([begun, saying(said)])), said).toBe('timeout');
  const whole = failing('We open at nine. ');
  expect(spoken(await collect(createBrainChain([whole, saying('')])))).toBe('We open at nine.');
});

it('runs a tool that was called before the fault, and asks nobody else', async () => {
  const call = { id: 'c1', name: 'book', arguments: '{}' };
  const acting: Brain = {
    name: 'acting',
    async *respond() {
      yield { kind: 'text', text: 'One moment, ple' };
      yield { kind: 'tool_call', call };
      throw new BrainError('unreachable', 'it broke', { retryable: true });
    },
  };
  const next = await brainFor(writing(() => 'Never asked.'));
  expect((await collect(createBrainChain([acting, next.brain]))).at(-1)).toEqual({ kind: 'tool_call', call });
  expect(next.endpoint.received).toHaveLength(0);
});

it('does not let a second model end the JSON of a first', async () => {
  const task = { name: 'summary', maxTokens: 100 };
  const next = await brainFor(writing(() => 'Never asked.'));
  await expect(
    collect(createBrainChain([failing('{"a": "b'), next.brain]), { ...request, task }),
  ).rejects.toMatchObject({ fault: 'timeout' });
  expect(next.endpoint.received).toHaveLength(0);
});

it('asks the next model within 400 ms of the bound', async () => {
  const stallMs = 300;
  let lastSentAt = 0;
  const stalling = await brainFor(
    (_request, response) => {
      response.write(chatChunk({ content: 'We open at ni' }));
      lastSentAt = performance.now();
    },
    { stallMs },
  );
  let askedAt = 0;
  const next = await brainFor((received, response) => {
    askedAt = performance.now();
    return writing((begun) => ANSWER.slice(begun.length))(received, response);
  });
  expect(spoken(await collect(createBrainChain([stalling.brain, next.brain])))).toBe(ANSWER);
  expect(askedAt - lastSentAt).toBeGreaterThanOrEqual(stallMs - 20);
  expect(askedAt - lastSentAt).toBeLessThan(stallMs + 400);
});
