// @requirement Brains: Nothing that a realtime server sends ends the process, and each fault leads to the next brain.
import { afterEach, expect, it } from 'vitest';
import {
  type AnswerVoice,
  type BrainError,
  type BrainEvent,
  type BrainRequest,
  type CallerAudio,
  createBrainChain,
  createRealtimeBrain,
  type RealtimeBrainOptions,
  withRedactedSecrets,
} from '../../../../src/conversation/brains/index.ts';
import {
  call,
  done,
  RealtimeServer,
  type RealtimeTurn,
  saying,
  sound,
  soundDone,
  transcript,
  words,
} from './realtime-server.ts';

const QUESTION = 'When do you open?';
const PCM = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, at) => at % 251));

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function opened(
  answer: (turn: RealtimeTurn) => void,
  options: Partial<RealtimeBrainOptions> = {},
): Promise<{ server: RealtimeServer; brain: ReturnType<typeof createRealtimeBrain> }> {
  const server = await RealtimeServer.start(answer);
  const brain = createRealtimeBrain({
    url: server.url,
    model: 'gpt-realtime',
    key: 'sk-k',
    firstEventMs: 60_000,
    stallMs: 60_000,
    answerMs: 60_000,
    ...options,
  });
  closing.push(
    () => brain.close(),
    () => server.close(),
  );
  return { server, brain };
}

const requestOf = (more: Partial<BrainRequest> = {}): BrainRequest => ({
  language: 'en',
  persona: 'You are the desk of a library.',
  messages: [{ role: 'user', content: QUESTION }],
  tools: [],
  passages: [],
  ...more,
});

async function collect(
  brain: Pick<ReturnType<typeof createRealtimeBrain>, 'respond'>,
  request = requestOf(),
  signal = new AbortController().signal,
): Promise<{ events: BrainEvent[]; fault: string | null }> {
  const events: BrainEvent[] = [];
  try {
    for await (const event of brain.respond(request, signal)) events.push(event);
  } catch (error) {
    return { events, fault: (error as BrainError).fault };
  }
  return { events, fault: null };
}

const said = (events: readonly BrainEvent[]): string =>
  events.map((event) => (event.kind === 'text' ? event.text : '')).join('');

const voiceIn = (events: readonly BrainEvent[]): AnswerVoice | null =>
  events.flatMap((event) => (event.kind === 'voice' ? [event.voice] : []))[0] ?? null;

function audioOf(text: string): CallerAudio & { readonly uses: string[] } {
  const uses: string[] = [];
  return {
    text,
    pcm: PCM,
    uses,
    sentTo: ({ name }) => {
      uses.push(`sent to ${name}`);
      return {
        received: (characters) => uses.push(`received ${characters}`),
        spoke: (ms) => uses.push(`spoke ${ms} ms`),
        failed: () => uses.push('failed'),
      };
    },
  };
}

it('sends the conversation as items and the caller’s last words as audio', async () => {
  const { server, brain } = await opened(saying(words('At '), words('nine.')));
  const callerAudio = audioOf(QUESTION);
  const { events, fault } = await collect(
    brain,
    requestOf({
      callerAudio,
      messages: [
        { role: 'user', content: 'Hello.' },
        {
          role: 'assistant',
          content: 'One moment.',
          toolCalls: [{ id: 'c1', name: 'hours', arguments: '{}' }],
        },
        { role: 'tool', callId: 'c1', name: 'hours', content: '9 to 5' },
        { role: 'user', content: `The library. ${QUESTION}` },
      ],
      tools: [{ name: 'hours', description: 'The hours', parameters: { type: 'object' } }],
    }),
  );
  expect([said(events), fault]).toEqual(['At nine.', null]);
  const { path, headers, events: asked } = server.last;
  expect(path).toBe('/v1/realtime?model=gpt-realtime');
  expect(headers.authorization).toBe('Bearer sk-k');
  expect(asked[0]).toMatchObject({
    type: 'session.update',
    session: {
      type: 'realtime',
      output_modalities: ['text'],
      audio: { input: { format: { type: 'audio/pcm', rate: 24_000 }, turn_detection: null } },
      tools: [{ type: 'function', name: 'hours' }],
      max_output_tokens: 400,
    },
  });
  expect(String(asked[0]?.session?.instructions)).toContain('You are the desk of a library.');
  expect(asked.flatMap(({ item }) => (item === undefined ? [] : [item]))).toEqual([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'One moment.' }] },
    { type: 'function_call', call_id: 'c1', name: 'hours', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: '9 to 5' },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'The library.' }] },
  ]);
  const appended = asked.filter(({ type }) => type === 'input_audio_buffer.append');
  expect(appended.length).toBeGreaterThan(1);
  expect(Buffer.concat(appended.map(({ audio }) => Buffer.from(audio!, 'base64'))).equals(PCM)).toBe(true);
  expect(asked.slice(-2).map(({ type }) => type)).toEqual(['input_audio_buffer.commit', 'response.create']);
  expect(callerAudio.uses).toEqual(['sent to realtime:gpt-realtime', 'received 3', 'received 5']);
});

it('asks in the older form where the header says so', async () => {
  const { server } = await opened(saying({ type: 'response.text.delta', delta: 'Yes.' }));
  const brain = createRealtimeBrain({
    url: `${server.url}/realtime?api-version=1`,
    model: 'desk',
    headers: { 'OpenAI-Beta': 'realtime=v1' },
    firstEventMs: 60_000,
  });
  closing.push(() => brain.close());
  expect(said((await collect(brain)).events)).toBe('Yes.');
  expect(server.last.path).toBe('/v1/realtime?api-version=1&model=desk');
  expect(server.last.events[0]?.session).toMatchObject({
    modalities: ['text'],
    input_audio_format: 'pcm16',
    turn_detection: null,
  });
  expect(server.last.events.map(({ type }) => type)).toEqual([
    'session.update',
    'conversation.item.create',
    'response.create',
  ]);
});

it('calls each tool once, and reports tokens and a truncated answer', async () => {
  const { brain } = await opened((turn) => {
    turn.send(call('c1', 'book', '{"day":"Monday"}'));
    turn.send(
      done({
        status: 'incomplete',
        status_details: { reason: 'max_output_tokens' },
        output: [
          { type: 'function_call', call_id: 'c1', name: 'book', arguments: '{"day":"Monday"}' },
          { type: 'function_call', call_id: 'c2', name: 'look', arguments: '' },
        ],
        usage: { input_tokens: 90, output_tokens: 8, input_token_details: { cached_tokens: 64 } },
      }),
    );
  });
  expect((await collect(brain)).events).toEqual([
    { kind: 'tool_call', call: { id: 'c1', name: 'book', arguments: '{"day":"Monday"}' } },
    { kind: 'tool_call', call: { id: 'c2', name: 'look', arguments: '{}' } },
    { kind: 'usage', promptTokens: 90, cachedTokens: 64, completionTokens: 8 },
    { kind: 'truncated' },
  ]);
});

it('takes the words of a server that speaks although text was requested', async () => {
  const { brain } = await opened(
    saying(
      { type: 'response.output_audio.delta', delta: 'AAAA' },
      { type: 'response.output_audio_transcript.delta', delta: 'At nine.' },
    ),
  );
  expect(said((await collect(brain)).events)).toBe('At nine.');
});

const FAULTS: [string, (turn: RealtimeTurn) => void, string][] = [
  ['is mute', () => undefined, 'timeout'],
  ['sends signs of life and no word', (turn) => turn.send({ type: 'response.created' }), 'timeout'],
  ['breaks the connection', (turn) => turn.socket.terminate(), 'unreachable'],
  ['closes without an answer', (turn) => turn.socket.close(1000), 'unreachable'],
  ['closes for an error of its own', (turn) => turn.socket.close(1011, 'oops'), 'unreachable'],
  ['sends no JSON', (turn) => turn.socket.send('<html>'), 'garbage'],
  ['sends a number', (turn) => turn.socket.send('7'), 'garbage'],
  ['sends too much', (turn) => turn.socket.send('x'.repeat(2 << 20)), 'unreachable'],
  ['refuses', (turn) => turn.send({ type: 'error', error: { code: 'invalid_api_key' } }), 'refused'],
  ['sends an empty error', (turn) => turn.send({ type: 'error' }), 'refused'],
  ['is busy', (turn) => turn.send({ type: 'error', error: { type: 'rate_limit_exceeded' } }), 'overloaded'],
  [
    'fails',
    (turn) => turn.send(done({ status: 'failed', status_details: { error: { code: 503 } } })),
    'overloaded',
  ],
  [
    'filters the answer',
    (turn) => turn.send(done({ status: 'incomplete', status_details: { reason: 'content_filter' } })),
    'refused',
  ],
  ['ends in nothing', (turn) => turn.send({ type: 'response.done' }), 'refused'],
];

it.each(FAULTS)('a server that %s is replaced by the next brain', async (_what, answer, fault) => {
  const { brain } = await opened(answer, fault === 'timeout' ? { firstEventMs: 200 } : {});
  const callerAudio = audioOf(QUESTION);
  const faults: string[] = [];
  const next = {
    name: 'here',
    async *respond(): AsyncGenerator<BrainEvent> {
      yield { kind: 'text', text: 'We open at nine.' };
    },
  };
  const chain = createBrainChain([brain, next], {
    attempts: 1,
    onFault: (_, error) => faults.push(error.fault),
  });
  const { events } = await collect(chain, requestOf({ callerAudio }));
  expect(said(events)).toBe('We open at nine.');
  expect(faults).toEqual([fault]);
  expect(callerAudio.uses).toEqual(['sent to realtime:gpt-realtime', 'failed']);
});

it.each([
  [{ audio: { input: { format: { type: 'audio/pcm', rate: 16_000 } } } }],
  [{ audio: { input: { format: { type: 'audio/pcmu' } } } }],
  [{ input_audio_format: 'g711_ulaw' }],
])('refuses a server that hears the caller in another format: %o', async (session) => {
  const { brain } = await opened((turn) => turn.send({ type: 'session.updated', session }));
  expect(await collect(brain)).toEqual({ events: [], fault: 'garbage' });
});

it('reports an answer that is cut after every event', async () => {
  const events = ['We ', 'open ', 'at ', 'nine.'].map(words);
  for (let sent = 0; sent <= events.length; sent++) {
    const { brain } = await opened((turn) => {
      for (const event of events.slice(0, sent)) turn.send(event);
      turn.socket.close(1000);
    });
    const { events: got, fault } = await collect(brain);
    expect([got.length, fault]).toEqual([sent, 'unreachable']);
  }
});

it('reports a pause within the answer', async () => {
  const { brain } = await opened((turn) => turn.send(words('We ')), { stallMs: 100 });
  const { events, fault } = await collect(brain);
  expect([said(events), fault]).toEqual(['We ', 'timeout']);
});

it('ends without an error where it is aborted, and closes the socket', async () => {
  const aborting = new AbortController();
  const { server, brain } = await opened((turn) => {
    turn.send(words('We '));
    aborting.abort();
  });
  const { fault } = await collect(brain, requestOf(), aborting.signal);
  expect(fault).toBeNull();
  const { socket } = server.last;
  if (socket.readyState !== socket.CLOSED) await new Promise((resolve) => socket.once('close', resolve));
});

it('sends no audio in which the caller says a secret', async () => {
  const { server, brain } = await opened(saying(words('Thank you.')));
  const secret = 'My card is 4242 4242 4242 4242.';
  const asks = async (text: string) => {
    await collect(
      withRedactedSecrets(brain),
      requestOf({ messages: [{ role: 'user', content: text }], callerAudio: audioOf(text) }),
    );
    return server.last.events;
  };
  expect((await asks(QUESTION)).map(({ type }) => type)).toContain('input_audio_buffer.append');
  const events = await asks(secret);
  expect(events.map(({ type }) => type)).not.toContain('input_audio_buffer.append');
  expect(JSON.stringify(events)).not.toContain('4242');
  expect(JSON.stringify(events)).toContain('[CARD_1]');
});

it('asks for the model’s own voice where the call plays it, and passes its words and audio in order', async () => {
  const pcm = Uint8Array.from({ length: 48_000 }, (_, at) => at % 251);
  const { server, brain } = await opened(
    saying(transcript('We open '), sound(pcm), transcript('at nine.'), sound(pcm), soundDone),
    { voice: 'marin', microsPerSpokenHour: 3_600_000 },
  );
  const callerAudio = audioOf(QUESTION);
  const { events, fault } = await collect(brain, requestOf({ callerAudio, playsVoice: true }));
  expect([said(events), fault]).toEqual(['We open at nine.', null]);
  expect(server.last.events[0]?.session).toMatchObject({
    output_modalities: ['audio'],
    audio: { output: { format: { type: 'audio/pcm', rate: 24_000 }, voice: 'marin' } },
  });
  expect(events.map(({ kind }) => kind)).toEqual(['voice', 'text', 'sound', 'text', 'sound']);
  const voice = voiceIn(events)!;
  const parts = [voice.take(), voice.take(), voice.take(), voice.take(), voice.take()];
  expect(parts.map((part) => (typeof part === 'object' ? part.length : part))).toEqual([
    'We open ',
    pcm.length,
    'at nine.',
    pcm.length,
    undefined,
  ]);
  expect(voice.end).toBe('complete');
  expect(callerAudio.uses).toEqual([
    'sent to realtime:gpt-realtime',
    'received 8',
    'spoke 1000 ms',
    'received 8',
    'spoke 1000 ms',
  ]);
});

it('counts the model’s own voice as it comes, because a call that is cut does not wait for the end', async () => {
  const second = new Uint8Array(48_000);
  const { brain } = await opened(
    (turn) => {
      turn.send(transcript('We open at nine.'));
      turn.send(sound(second));
    },
    { voice: 'marin' },
  );
  const callerAudio = audioOf(QUESTION);
  const aborting = new AbortController();
  const answer = brain.respond(requestOf({ callerAudio, playsVoice: true }), aborting.signal);
  const kinds: string[] = [];
  while (kinds.at(-1) !== 'sound') {
    const { value } = await answer[Symbol.asyncIterator]().next();
    kinds.push((value as BrainEvent).kind);
  }
  expect(callerAudio.uses.at(-1), 'the answer has not ended').toBe('spoke 1000 ms');
  aborting.abort();
  await answer[Symbol.asyncIterator]().next();
  expect(callerAudio.uses.at(-1), 'and counts once').toBe('spoke 1000 ms');
  expect(callerAudio.uses).toHaveLength(3);
});

it('asks for the model’s own voice by the older names', async () => {
  const { server, brain } = await opened(saying(transcript('Yes.')), {
    voice: 'alloy',
    headers: { 'OpenAI-Beta': 'realtime=v1' },
  });
  await collect(brain, requestOf({ playsVoice: true }));
  expect(server.last.events[0]?.session).toMatchObject({
    modalities: ['text', 'audio'],
    output_audio_format: 'pcm16',
    voice: 'alloy',
  });
});

it('asks for text outside of calls, where a rule reads the answer, and where another brain began it', async () => {
  const { server, brain } = await opened(saying(words('Yes.')), { voice: 'marin' });
  const asks = async (more: Partial<BrainRequest>) => {
    const { events } = await collect(brain, requestOf(more));
    expect(events.map(({ kind }) => kind)).toEqual(['text']);
    return server.last.events[0]?.session?.output_modalities;
  };
  expect(await asks({})).toEqual(['text']);
  expect(await asks({ playsVoice: true, begun: 'We open ' })).toEqual(['text']);
  expect(await asks({ playsVoice: true, task: { name: 't', maxTokens: 100 } })).toEqual(['text']);
});

it('does not ask a model to say a placeholder', async () => {
  const { server, brain } = await opened(saying(words('Thank you.')), { voice: 'marin' });
  const asks = async (text: string) => {
    await collect(
      withRedactedSecrets(brain),
      requestOf({ messages: [{ role: 'user', content: text }], playsVoice: true }),
    );
    return server.last.events[0]?.session?.output_modalities;
  };
  expect(await asks(QUESTION)).toEqual(['audio']);
  expect(await asks('My card is 4242 4242 4242 4242.')).toEqual(['text']);
});

it('is late where the audio that came has been played and no more comes', async () => {
  const half = Uint8Array.from({ length: 24_000 }, (_, at) => at % 251);
  const { brain } = await opened(
    (turn) => {
      turn.send(transcript('We open'));
      turn.send(sound(half));
    },
    { voice: 'marin', betweenAudioMs: 100 },
  );
  const beganAt = performance.now();
  const { events, fault } = await collect(brain, requestOf({ playsVoice: true }));
  expect(fault).toBe('timeout');
  expect(performance.now() - beganAt, 'long before the limit of text').toBeLessThan(30_000);
  expect(voiceIn(events)!.end).toBe('cut');
});

it('waits as for text once the model has spoken, because a tool call may follow', async () => {
  const { brain } = await opened(
    (turn) => {
      turn.send(transcript('One moment.'));
      turn.send(sound(new Uint8Array(480)));
      turn.send(soundDone);
      setTimeout(() => {
        turn.send(call('c1', 'hours', '{}'));
        turn.send(done());
      }, 300);
    },
    { voice: 'marin', betweenAudioMs: 50 },
  );
  const { events, fault } = await collect(brain, requestOf({ playsVoice: true }));
  expect(fault).toBeNull();
  expect(events.map(({ kind }) => kind)).toEqual(['voice', 'text', 'sound', 'tool_call']);
});

it.each([
  ['incomplete', { reason: 'max_output_tokens' }],
  ['cancelled', { reason: 'turn_detected' }],
  ['failed', { error: { code: 503 } }],
])('takes the audio of a response that ended as %s for cut', async (status, details) => {
  const { brain } = await opened(
    (turn) => {
      for (const event of [transcript('We open at nine.'), sound(new Uint8Array(480)), soundDone])
        turn.send(event);
      turn.send(done({ status, status_details: details }));
    },
    { voice: 'marin' },
  );
  const { events } = await collect(brain, requestOf({ playsVoice: true }));
  expect(voiceIn(events)!.end).toBe('cut');
});

it('does not limit a spoken answer to the tokens of a written one, unless it is configured', async () => {
  for (const [options, more, tokens] of [
    [{}, { playsVoice: true }, 4_096],
    [{ maxTokens: 300 }, { playsVoice: true }, 300],
    [{}, {}, 400],
  ] as const) {
    const { server, brain } = await opened(saying(words('Yes.')), { voice: 'marin', ...options });
    await collect(brain, requestOf(more));
    expect(server.last.events[0]?.session?.max_output_tokens).toBe(tokens);
  }
});

it('refuses a voice of another rate', async () => {
  const session = { audio: { output: { format: { type: 'audio/pcm', rate: 16_000 } } } };
  const { brain } = await opened((turn) => turn.send({ type: 'session.updated', session }), {
    voice: 'marin',
  });
  expect(await collect(brain, requestOf({ playsVoice: true }))).toEqual({ events: [], fault: 'garbage' });
});

it('refuses more words than anybody says before they reach the voice', async () => {
  const { brain } = await opened(saying(transcript('We open. '), transcript('at nine '.repeat(1_000))), {
    voice: 'marin',
  });
  const { events, fault } = await collect(brain, requestOf({ playsVoice: true }));
  expect(fault).toBe('garbage');
  expect(voiceIn(events)!.words).toBe('We open. ');
});
