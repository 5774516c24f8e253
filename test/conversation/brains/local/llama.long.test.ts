// @requirement Local models: A GGUF model runs in a process of its own.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  BrainError,
  type BrainRequest,
  createBrainChain,
  createLocalModel,
} from '../../../../src/conversation/brains/index.ts';
import { createResponder } from '../../../../src/conversation/responder/index.ts';
import { buildChild, type ChildProgram } from '../../../child-program.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { isAbsent, model, runtimeDir } from './real-model.ts';

let program: ChildProgram;
beforeAll(async () => {
  program = await buildChild('src/conversation/brains/local/worker.ts');
}, 120_000);
afterAll(() => program.remove());

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const brain of opened.splice(0)) await brain.close();
});

function open(options: Partial<Parameters<typeof createLocalModel>[0]> = {}) {
  const faults: string[] = [];
  let reportReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    reportReady = resolve;
  });
  const brain = createLocalModel({
    model,
    runtimeDir,
    worker: program.file,
    calls: 2,
    firstEventMs: 60_000,
    leastTokensPerSecond: 0,
    onFault: (message) => faults.push(message),
    onReady: () => reportReady(),
    ...options,
  });
  opened.push(brain);
  return { brain, faults, ready };
}

const request = (said: string): BrainRequest => ({
  language: 'en',
  persona: 'You answer in English.',
  messages: [{ role: 'user', content: said }],
  tools: [],
  passages: [],
  temperature: 0,
});

const never = new AbortController().signal;

async function say(brain: ReturnType<typeof open>['brain'], said: string, signal = never): Promise<string[]> {
  const pieces: string[] = [];
  for await (const event of brain.respond(request(said), signal)) {
    if (event.kind === 'text') pieces.push(event.text);
  }
  return pieces;
}

describe.skipIf(isAbsent)('a real GGUF model', () => {
  it('streams its words to several callers at once, stops for one, and comes again when it was killed', {
    timeout: 120_000,
  }, async () => {
    const { brain, faults } = open({ maxTokens: 12 });
    const [one, two] = await Promise.all([say(brain, 'Name a fruit.'), say(brain, 'Name a colour.')]);
    expect(one?.length).toBeGreaterThan(2);
    expect(two?.join('').trim()).not.toBe('');
    expect(await say(brain, 'Name a fruit.')).toEqual(one);

    const begun = one.slice(0, -2).join('');
    const rest: string[] = [];
    for await (const event of brain.respond({ ...request('Name a fruit.'), begun }, never))
      if (event.kind === 'text') rest.push(event.text);
    expect(rest.join(''), 'it continues the words that it is given').toContain(one.slice(-2).join('').trim());
    expect(rest.join('')).not.toContain(begun);

    const abort = new AbortController();
    const pieces: string[] = [];
    for await (const event of brain.respond(request('Count from one to one thousand.'), abort.signal)) {
      if (event.kind === 'text' && pieces.push(event.text) === 3) abort.abort();
    }
    expect(pieces).toHaveLength(3);
    expect(await say(brain, 'Name a fruit.')).toEqual(one);
    expect(faults).toEqual([]);

    const killed = (async () => {
      for await (const event of brain.respond(request('Count from one to one thousand.'), never)) {
        if (event.kind === 'text' && brain.pid !== null) process.kill(brain.pid, 'SIGKILL');
      }
    })();
    await expect(killed).rejects.toBeInstanceOf(BrainError);
    expect(faults.join()).toContain('SIGKILL');
    expect(await say(brain, 'Name a fruit.')).toEqual(one);
  });

  it('says why a broken file cannot be loaded, and lets the next brain answer', {
    timeout: 60_000,
  }, async () => {
    const broken = join(mkdtempSync(join(tmpdir(), 'gguf-')), 'broken.gguf');
    writeFileSync(broken, `GGUF${'\u0003\u0000\u0000\u0000garbage'.repeat(200)}`);
    const { brain, faults } = open({ model: broken });
    await expect(say(brain, 'Hello')).rejects.toThrow(`${broken} cannot be loaded`);
    // The next turns do not retry: no second process starts, and no turn waits again.
    await expect(say(brain, 'Hello')).rejects.toMatchObject({ retryable: false });
    expect(faults).toHaveLength(1);
    const chain = createBrainChain([brain, createResponder()]);
    const texts: string[] = [];
    for await (const event of chain.respond(request('Hello'), never)) {
      if (event.kind === 'text') texts.push(event.text);
    }
    expect(texts).toEqual(['Hello! How can I help you?']);
  });
});

describe('what is missing', () => {
  const gguf = (): string => {
    const path = join(mkdtempSync(join(tmpdir(), 'gguf-')), 'model.gguf');
    writeFileSync(path, 'GGUF');
    return path;
  };

  it.each([
    ['the runtime', () => ({ model: gguf(), runtimeDir: '/nonexistent' }), /npx trunkline brain install/],
    ['the file', () => ({ model: '/nonexistent.gguf' }), /there is no file \/nonexistent\.gguf/],
    ['a model in it', () => ({ model: import.meta.filename }), /is not a GGUF file/],
  ])('%s is named', async (_name, options, message) => {
    const { brain, faults } = open({ runtimeDir: '/nonexistent', ...options() });
    await expect(say(brain, 'Hello')).rejects.toThrow(message);
    expect(faults.join()).toMatch(message);
  });

  it('is looked for again after half a minute, and no sooner', async () => {
    const clock = new ManualClock();
    const { brain, faults } = open({ model: '/nonexistent.gguf', clock });
    await expect(say(brain, 'Hello')).rejects.toThrow(/no file/);
    clock.advance(29_000);
    await expect(say(brain, 'Hello')).rejects.toThrow(/no file/);
    expect(faults).toHaveLength(1);
    clock.advance(2_000);
    await expect(say(brain, 'Hello')).rejects.toThrow(/no file/);
    expect(faults).toHaveLength(2);
  });
});
