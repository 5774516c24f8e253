import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  BrainError,
  type BrainEvent,
  type BrainRequest,
  createBrainChain,
  createLocalModel,
  type LocalModelOptions,
} from '../../../../src/conversation/brains/index.ts';
import { createResponder } from '../../../../src/conversation/responder/index.ts';

const WORKER = join(import.meta.dirname, 'scripted-worker.mjs');
const never = new AbortController().signal;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const brain of opened.splice(0)) await brain.close();
});

const requestOf = (said: string): BrainRequest => ({
  language: 'en',
  persona: '',
  messages: [{ role: 'user', content: said }],
  tools: [],
  passages: [],
});

function open(options: Partial<LocalModelOptions> = { worker: WORKER }) {
  const faults: string[] = [];
  const brain = createLocalModel({
    model: 'model.gguf',
    runtimeDir: '/nonexistent',
    onFault: (message) => faults.push(message),
    ...options,
  });
  opened.push(brain);
  const ask = async (said: string, signal = never): Promise<string> => {
    let text = '';
    for await (const event of brain.respond(requestOf(said), signal)) {
      if (event.kind === 'text') text += event.text;
    }
    return text;
  };
  return { brain, ask, faults };
}

describe('the process of a local model', () => {
  it('answers several questions at once, from one process', async () => {
    const { ask } = open();
    const answers = await Promise.all(['a', 'b', 'c'].map((said) => ask(said)));
    const [processes, said] = [0, 1].map((part) => answers.map((answer) => answer.split(' ')[part]));
    expect(new Set(processes).size).toBe(1);
    expect(said).toEqual(['a', 'b', 'c']);
  });

  it('keeps its thoughts to itself', async () => {
    expect(await open().ask('<think>A plan.</think>At nine.')).toMatch(/^\d+ At nine\.$/);
  });

  it('may die: who waits is told, and the next question starts another', async () => {
    const { ask, faults } = open();
    const before = (await ask('first')).split(' ')[0];
    await expect(ask('die')).rejects.toBeInstanceOf(BrainError);
    const after = (await ask('second')).split(' ')[0];
    expect(after).not.toBe(before);
    expect(faults).toEqual(['the process of the local model ended with 3']);
  });

  it('names its own fault', async () => {
    await expect(open().ask('fail')).rejects.toMatchObject({ fault: 'unreachable', message: 'no memory' });
  });

  it('is let go when the turn is discarded', async () => {
    const { ask } = open();
    const abort = new AbortController();
    const hanging = ask('hang', abort.signal);
    await ask('meanwhile');
    abort.abort();
    expect(await hanging).toMatch(/^\d+ $/);
  });

  it('says so when no process can be started', async () => {
    const { ask, faults } = open({ worker: join(import.meta.dirname, 'no-such-worker.mjs') });
    await expect(ask('hello')).rejects.toBeInstanceOf(BrainError);
    expect(faults).toHaveLength(1);
  });

  // @requirement Local models: Admission control refuses a call that would slow the answers of the others below their rate.
  it('is asked no more than leaves each answer its rate: the next brain is asked at once', async () => {
    const { brain, ask, faults } = open({ worker: WORKER, leastTokensPerSecond: 60 });
    const abort = new AbortController();
    await ask('first');
    const hanging = ask('hang', abort.signal);
    await expect(ask('meanwhile')).rejects.toMatchObject({
      fault: 'overloaded',
      retryable: false,
      message: 'one more answer would leave each of 2 some 50.0 tokens a second; 60 are wanted',
    });
    const chain = createBrainChain([brain, createResponder()]);
    const events: BrainEvent[] = [];
    for await (const event of chain.respond(requestOf('Hello'), never)) events.push(event);
    expect(events[0]).toEqual({ kind: 'fallback', fault: 'overloaded' });
    expect(events).toContainEqual({ kind: 'text', text: 'Hello! How can I help you?' });
    abort.abort();
    await hanging;
    expect(await ask('again')).toMatch(/ again$/);
    expect(faults).toEqual([]);
  });

  it('tells of the measure when it has it: what was slow beside another is not tried again', async () => {
    const { ask } = open({ worker: WORKER, leastTokensPerSecond: 40 });
    const abort = new AbortController();
    await ask('first');
    const hanging = ask('hang', abort.signal);
    await ask('slow');
    await expect(ask('third')).rejects.toMatchObject({ fault: 'overloaded' });
    abort.abort();
    await hanging;
  });
});
