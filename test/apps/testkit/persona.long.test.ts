// @requirement Test kit: A model plays a persona.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  Persona,
  runSuites,
  ScriptedModels,
  ServerApi,
  type Suite,
} from '../../../src/apps/testkit/index.ts';
import { createLocalModel } from '../../../src/conversation/brains/index.ts';
import { buildChild, type ChildProgram } from '../../child-program.ts';
import { World } from '../../contract/world.ts';
import { isAbsent, model, runtimeDir } from '../../conversation/brains/local/real-model.ts';
import { long, longForm } from '../../long-tests.ts';

interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}
type Answer = (messages: readonly Message[]) => Promise<string>;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function served(answer: Answer): Promise<Persona> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: Message[] };
    const message = { role: 'assistant', content: await answer(messages) };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [{ message }] }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return new Persona({ url, model: 'caller', key: undefined });
}

let world: World;
let models: ScriptedModels;
beforeAll(async () => {
  models = await ScriptedModels.start();
  const url = models.add([
    { when: 'friday', say: 'Then Friday at ten it is.' },
    { when: 'appointment|table|book', say: 'Which day would suit you?' },
    { say: 'How can I help?' },
  ]);
  const TRUNKLINE_BRAINS = JSON.stringify([{ name: 'desk', url, model: 'desk' }]);
  world = await World.open({ settings: { TRUNKLINE_BRAINS, TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true' } });
}, 120_000);
afterAll(async () => {
  models?.close();
  await world?.stop();
});

const suite = (turns: number): Suite => ({
  name: 'Booking',
  agent: { voice_id: 'joe_en_us', persona: 'You are the desk.', brain: 'desk', greeting: 'Acme, hello.' },
  scenarios: [
    {
      name: 'books',
      steps: [{ persona: { who: 'Ann, who is in a hurry', goal: 'an appointment on Friday', turns } }],
    },
  ],
});

async function played(persona: Persona, turns: number) {
  const api = new ServerApi(world.url, world.ours.key);
  const loaded = { suite: suite(turns), file: '', folder: '.', brain: null };
  const [result] = await runSuites([loaded], { api, similarity: null, persona, onResult: () => undefined });
  expect(result?.trials[0]?.error).toBeNull();
  return result?.trials[0]?.call?.steps ?? [];
}

it('speaks what its model answers to the agent’s words, and stops when it has what it wants', async (context) => {
  if (!world.ready) context.skip();
  const asked: (readonly Message[])[] = [];
  const persona = await served(async (messages) => {
    asked.push(messages);
    const heard = messages.at(-1)?.content ?? '';
    if (/ten/i.test(heard)) return 'DONE';
    return /which day/i.test(heard) ? 'On Friday, please.' : 'I would like to book an appointment, please.';
  });
  const steps = await played(persona, 6);
  expect(steps).toMatchObject([
    { what: 'I would like to book an appointment, please.', said: 'Which day would suit you?' },
    {
      what: 'On Friday, please.',
      heard: expect.stringMatching(/friday/i),
      said: 'Then Friday at ten it is.',
    },
  ]);
  expect(asked).toHaveLength(3);
  expect(asked[0]?.[0]?.content).toContain('Ann, who is in a hurry');
  expect(asked[2]?.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
  ]);
}, 120_000);

describe.skipIf(isAbsent || !long)(longForm('a real local model'), () => {
  let program: ChildProgram;
  beforeAll(async () => {
    program = await buildChild('src/conversation/brains/local/worker.ts');
  }, 120_000);
  afterAll(() => program?.remove());

  it('plays a caller whom the agent hears and answers', async (context) => {
    if (!world.ready) context.skip();
    const worker = program.file;
    const limits = { calls: 1, firstEventMs: 120_000, leastTokensPerSecond: 0, maxTokens: 24 };
    const brain = createLocalModel({ model, runtimeDir, worker, ...limits, onFault: () => undefined });
    try {
      const persona = await served(async (messages) => {
        const [system, ...talk] = messages;
        let words = '';
        const request = {
          language: 'en' as const,
          persona: system?.content ?? '',
          messages: talk as { role: 'user' | 'assistant'; content: string }[],
          tools: [],
          passages: [],
          temperature: 0,
        };
        for await (const event of brain.respond(request, new AbortController().signal))
          if (event.kind === 'text') words += event.text;
        return words;
      });
      const steps = await played(persona, 2);
      // A small model is free in its words: the test checks only that they were spoken, recognized and answered.
      expect(steps.length).toBeGreaterThan(0);
      for (const { what, heard, said } of steps)
        expect(
          [what, heard, said].every((words) => /\w/.test(words)),
          JSON.stringify(steps),
        ).toBe(true);
    } finally {
      await brain.close();
    }
  }, 400_000);
});
