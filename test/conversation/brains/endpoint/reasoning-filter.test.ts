// @requirement Brains: Hidden reasoning of a model neither ends a turn nor is spoken.
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Brain,
  BrainError,
  type BrainEvent,
  type BrainRequest,
} from '../../../../src/conversation/brains/contract.ts';
import { createChatEndpoint } from '../../../../src/conversation/brains/endpoint/chat-endpoint.ts';
import { ReasoningFilter } from '../../../../src/conversation/brains/endpoint/reasoning-filter.ts';
import { fc } from '../../../property-tests.ts';
import { settle } from '../../session/stage.ts';
import { chatChunk, introduce, type Script, ScriptedEndpoint, saying } from './scripted-endpoint.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const request: BrainRequest = {
  language: 'en',
  persona: '',
  messages: [{ role: 'user', content: 'When do you open?' }],
  tools: [],
  passages: [],
};

async function modelSaying(answers: readonly string[], introductions: Script | null = saying('Hello!')) {
  const left = [...answers];
  const endpoint = await ScriptedEndpoint.start(
    (_request, response) => stream(response, left.shift() ?? ''),
    introductions,
  );
  const brain = createChatEndpoint({ url: endpoint.url, model: 'test' });
  cleanups.push(
    () => endpoint.close(),
    () => brain.close(),
  );
  return { endpoint, brain };
}

const manyOf = (answer: string): string[] => new Array<string>(50).fill(answer);

async function modelCutAt(words: string): Promise<Brain> {
  const endpoint = await ScriptedEndpoint.start((_request, response) => stream(response, words, 'length'));
  const brain = createChatEndpoint({ url: endpoint.url, model: 'test' });
  cleanups.push(
    () => endpoint.close(),
    () => brain.close(),
  );
  return brain;
}

function stream(response: ServerResponse, words: string, finish = 'stop'): void {
  for (const word of words.split(/(?= )/)) response.write(chatChunk({ content: word }));
  response.end(chatChunk({}, finish));
}

async function eventsOf(brain: Brain): Promise<BrainEvent[]> {
  const events: BrainEvent[] = [];
  for await (const event of brain.respond(request, new AbortController().signal)) events.push(event);
  return events;
}

const wordsOf = async (brain: Brain): Promise<string[]> =>
  (await eventsOf(brain)).flatMap((event) => (event.kind === 'text' ? [event.text] : []));

const faultOf = (brain: Brain) =>
  eventsOf(brain).then(
    () => 'none',
    (error: unknown) => (error instanceof BrainError ? error.fault : String(error)),
  );

describe('a thought that is seen to begin', () => {
  it('is left out of the words, however the stream is cut', async () => {
    const said = ' <think>\nThe user <b>wants</b> hours. </think>\n\nWe open at nine. <thin air> <';
    for (const opened of [false, true]) {
      for (let at = 0; at <= said.length; at++) {
        const filter = new ReasoningFilter(opened);
        const words = filter.add(said.slice(0, at)) + filter.add(said.slice(at)) + filter.end();
        expect(words.trim()).toBe('We open at nine. <thin air> <');
        expect(filter).toMatchObject({ closedUnseen: false, openedSeen: true });
      }
    }
  });

  it('gives a sign of life for each piece of it, in the words or beside them', async () => {
    const endpoint = await ScriptedEndpoint.start((_request, response) => {
      response.write(chatChunk({ reasoning_content: 'Hm.' }));
      response.write(chatChunk({ reasoning: 'Hm, hm.' }));
      response.write(chatChunk({ content: '<think>So' }));
      response.write(chatChunk({ content: ' far</think>' }));
      response.end(`${chatChunk({ content: 'At nine.' })}${chatChunk({}, 'stop')}`);
    });
    const brain = createChatEndpoint({ url: endpoint.url, model: 'test' });
    cleanups.push(
      () => endpoint.close(),
      () => brain.close(),
    );
    const kinds = (await eventsOf(brain)).map(({ kind }) => kind);
    expect(kinds).toEqual(['thinking', 'thinking', 'thinking', 'thinking', 'text']);
  });

  it('is no answer where it used up all tokens', async () => {
    expect(await faultOf(await modelCutAt('<think>Well, '))).toBe('garbage');
  });
});

describe('a thought that a model’s template opens unseen', () => {
  it('is not heard, though it is the first that was ever asked', async () => {
    const { brain } = await modelSaying([
      'I plan. Then I say it. </think>At nine.',
      'Again. </think>At ten.',
    ]);
    expect(await wordsOf(brain)).toEqual(['At', ' nine.']);
    expect(await wordsOf(brain)).toEqual(['At', ' ten.']);
  });

  it('keeps the words of a model that nobody knows back until its answer ends, and no others', async () => {
    const { brain } = await modelSaying(['We open at nine.', 'We open at ten.']);
    expect(await wordsOf(brain)).toEqual(['We open at nine.']);
    expect(await wordsOf(brain)).toEqual(['We', ' open', ' at', ' ten.']);
  });

  it('is known of before the first question', async () => {
    const { brain, endpoint } = await modelSaying(
      ['I plan. </think>At nine.', 'At ten.'],
      (_request, response) => stream(response, 'They want a hello. </think>Hello!'),
    );
    await introduce(brain);
    expect(endpoint.received).toHaveLength(0);
    expect(await wordsOf(brain)).toEqual(['At', ' nine.']);
    expect(await wordsOf(brain)).toEqual(['At ten.']);
  });

  it('is looked for once, by the first of two calls that begin', async () => {
    let free = (): void => undefined;
    const waits = new Promise<void>((resolve) => {
      free = resolve;
    });
    let asked = 0;
    const { brain } = await modelSaying(['We open.', 'We open.'], async (_request, response) => {
      asked++;
      await waits;
      stream(response, 'Hello!');
    });
    brain.prepare?.('', 'en');
    brain.prepare?.('', 'es');
    expect(await wordsOf(brain)).toEqual(['We open.']);
    free();
    expect(await wordsOf(brain)).toEqual(['We', ' open.']);
    brain.prepare?.('', 'en');
    expect(asked).toBe(1);
  });

  it('is assumed of a model that needs all its tokens to say hello', async () => {
    let over: Promise<void> | null = null;
    const { brain } = await modelSaying(['We open.', 'We open.'], ({ closed }, response) => {
      over = closed;
      stream(response, 'Well, they want', 'length');
    });
    brain.prepare?.('', 'en');
    await expect.poll(() => over).not.toBeNull();
    await over;
    await settle();
    expect(await wordsOf(brain)).toEqual(['We open.']);
    expect(await wordsOf(brain)).toEqual(['We open.']);
  });

  it('is asked about once more after three answers in a row without one', async () => {
    const plain = ['We open.', 'We open.', 'We open.'];
    let asked = 0;
    const { brain } = await modelSaying(
      [
        'Hm. </think>At nine.',
        'We open.',
        'We open.',
        'Hm. </think>At ten.',
        ...plain,
        ...manyOf('We open.'),
      ],
      (_request, response) => {
        asked++;
        stream(response, 'Hello!');
      },
    );
    const pieces: string[] = [];
    for (let turn = 0; turn < 7; turn++) pieces.push((await wordsOf(brain)).join('|'));
    expect(pieces).toEqual(['At| nine.', 'We open.', 'We open.', 'At| ten.', ...plain]);
    await expect.poll(async () => (await wordsOf(brain)).join('|')).toBe('We| open.');
    expect(asked).toBe(1);
  });

  it('is not taken from a mark that a caller makes a model write', async () => {
    let asked = 0;
    const { brain } = await modelSaying(
      ['We open.', 'All right </think> then.', 'We open.', 'Yes. </think> Yes.', 'We open.'],
      (_request, response) => {
        asked++;
        stream(response, 'Hello!');
      },
    );
    await wordsOf(brain);
    await wordsOf(brain);
    // The brain asks the endpoint whether its model has changed at most once a minute.
    await expect.poll(() => asked).toBe(1);
    expect(await wordsOf(brain)).toEqual(['We', ' open.']);
    await wordsOf(brain);
    expect(await wordsOf(brain)).toEqual(['We', ' open.']);
    expect(asked).toBe(1);
  });

  it('is learnt of another model behind the same endpoint by asking it', async () => {
    const thinking = 'I plan. </think>At nine.';
    const { brain } = await modelSaying(['We open.', thinking, ...manyOf(thinking)], (_request, response) =>
      stream(response, 'They want a hello. </think>Hello!'),
    );
    await wordsOf(brain);
    expect((await wordsOf(brain)).join('')).toContain('I plan.');
    await expect.poll(async () => (await wordsOf(brain)).join('|')).toBe('At| nine.');
  });

  it('is no answer where it used up all tokens', async () => {
    expect(await faultOf(await modelCutAt('Well, they want'))).toBe('garbage');
  });

  it('leaves nothing of itself, however the stream is cut', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z .<]{0,30}$/),
        fc.stringMatching(/^[A-Z .]{0,30}$/),
        fc.array(fc.nat(70), { maxLength: 6 }),
        (thought, answer, cuts) => {
          const said = `${thought}</think>${answer}`;
          const at = [0, ...cuts.filter((cut) => cut < said.length).sort((a, b) => a - b), said.length];
          const filter = new ReasoningFilter(true);
          const words = at.slice(1).map((end, index) => filter.add(said.slice(at[index], end)));
          expect(words.join('') + filter.end()).toBe(answer);
          expect(filter.closedUnseen).toBe(true);
        },
      ),
    );
  });
});
