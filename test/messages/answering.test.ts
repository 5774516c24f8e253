/** Agents that answer what people write: over the loopback network, with real profiles and a model of the test. */
import { expect, it, onTestFinished } from 'vitest';
import { type Reach, reachOf } from '../../src/access/index.ts';
import type { AgentBody } from '../../src/agents/index.ts';
import { BrainError, type BrainEvent, type BrainRequest, systemPrompt } from '../../src/brain/index.ts';
import { LoopbackMessages } from '../../src/carriers/index.ts';
import { JobQueue } from '../../src/jobs/index.ts';
import { OPT_OUT } from '../../src/language/index.ts';
import { AgentMessages, Messages, TextAgent, type TextAgentDeps } from '../../src/messages/index.ts';
import { UrlGate } from '../../src/platform/url-gate/index.ts';
import type { Storage } from '../../src/storage/index.ts';
import { until } from '../look-again.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { OneKeyAccess } from '../server/fixtures/access.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { agentRooms } from '../surfaces/agents/server.ts';
import { CheckedWebhooks } from '../webhooks/checked.ts';

const OURS = '+15005550006';
const ANSWERS = '+15005550001';
const PERSON = '+15005550007';

type Say = (request: BrainRequest) => string | Promise<string>;

async function open(storage: Storage, body: Partial<AgentBody>, say: Say, more: Partial<TextAgentDeps> = {}) {
  const clock = new ManualClock(Date.parse('2026-11-22T12:00:00Z'));
  const gate = new UrlGate({ allowLoopback: true, clock });
  const queue = new JobQueue(storage, clock);
  const webhooks = new CheckedWebhooks({ storage, queue, gate, clock });
  const carrier = new LoopbackMessages();
  const reach = reachOf(new OneKeyAccess().principal());
  const rooms = agentRooms(storage);
  const agent = await rooms.agents.create(reach, { name: 'Maya', ...body }, false);
  const mine = (at: Reach, number: string) => at.org === reach.org && number === OURS;
  const numbers = {
    owns: async (at: Reach, number: string) => mine(at, number),
    ownerOf: async (number: string) => (number === OURS ? reach : null),
    agentOf: async (at: Reach, number: string) => (mine(at, number) ? agent.id : null),
    ofAgent: async (at: Reach, id: string) => (mine(at, OURS) && id === agent.id ? OURS : null),
  };
  const asked: BrainRequest[] = [];
  async function* respond(request: BrainRequest): AsyncGenerator<BrainEvent> {
    asked.push(request);
    // An answer comes after what it answers.
    clock.advance(1);
    yield { kind: 'text', text: await say(request) };
  }
  const answerer = new TextAgent({
    brain: { name: 'scripted', respond },
    profiles: rooms.profiles,
    numbers,
    passages: async () => [],
    guard: async () => null,
    ...more,
  });
  const messages = new Messages({ storage, queue, clock, gate, webhooks, carrier, numbers, answerer });
  messages.start();
  onTestFinished(() => messages.stop(0));
  const sent = async () =>
    (await messages.store.list(reach, { direction: 'outbound' }, { limit: 100 }, null)).reverse();
  const bodies = async () => (await sent()).map(({ body: said }) => said);
  /** Nothing waits to be answered or sent. */
  const waiting = async () => (await storage.db.selectFrom('jobs').select('id').execute()).length;
  const idle = () => until(async () => (await waiting()) === 0);
  return { clock, carrier, reach, agent, messages, numbers, asked, sent, bodies, idle, waiting };
}

const on: Partial<AgentBody> = { builtin_tools: ['send_message'] };

onBothDatabases('an agent that is written to', (databases) => {
  it('answers once, from what was written before, in writing', async () => {
    const opened = await open(
      await databases.open(),
      { ...on, persona: 'You are Maya of Acme.' },
      ({ messages }) => `Answer ${messages.length}.`,
    );
    const { carrier, clock, messages, asked, bodies, idle, sent } = opened;
    await carrier.write(PERSON, OURS, 'When do you open?');
    await idle();
    clock.advance(1000);
    const incoming = { reference: 'twice', from: PERSON, to: OURS, body: 'And on Sundays?', mediaUrls: [] };
    for (let again = 0; again < 3; again += 1) await messages.incoming(incoming);
    await idle();
    expect(await bodies()).toEqual(['Answer 1.', 'Answer 3.']);
    expect((await sent()).map(({ status, to_number }) => [status, to_number])).toEqual([
      ['delivered', PERSON],
      ['delivered', PERSON],
    ]);
    expect(asked.at(-1)).toMatchObject({
      persona: 'You are Maya of Acme.',
      written: true,
      tools: [],
      messages: [
        { role: 'user', content: 'When do you open?' },
        { role: 'assistant', content: 'Answer 1.' },
        { role: 'user', content: 'And on Sundays?' },
      ],
    });
    const prompt = systemPrompt(asked[0] as BrainRequest);
    expect(prompt).toContain('You answer text messages.');
    expect(prompt).not.toContain('phone call');
  });

  it('says nothing unless its profile lets it send messages', async () => {
    const { carrier, asked, bodies, idle } = await open(await databases.open(), {}, () => 'Hello.');
    await carrier.write(PERSON, OURS, 'Hello?');
    await idle();
    expect([asked, await bodies()]).toEqual([[], []]);
  });

  it('leaves whoever wrote STOP alone, also where it was thinking meanwhile', async () => {
    const stopped = { by: async () => undefined as unknown };
    const opened = await open(await databases.open(), on, async () => {
      await stopped.by();
      return 'We open at nine.';
    });
    const { carrier, clock, asked, bodies, idle } = opened;
    stopped.by = () => carrier.write(PERSON, OURS, 'STOP');
    await carrier.write(PERSON, OURS, 'When do you open?');
    await idle();
    expect(await bodies()).toEqual([OPT_OUT.en.stopped]);
    stopped.by = async () => undefined;
    await carrier.write(PERSON, OURS, 'Are you there?');
    await idle();
    expect(asked).toHaveLength(1);
    clock.advance(1000);
    await carrier.write(PERSON, OURS, 'START');
    clock.advance(1000);
    await carrier.write(PERSON, OURS, 'When do you open?');
    await idle();
    expect(await bodies()).toEqual([OPT_OUT.en.stopped, OPT_OUT.en.started, 'We open at nine.']);
  });

  it('stops after twenty answers in an hour where a machine answers it', async () => {
    const opened = await open(await databases.open(), on, () => 'Hello, machine.');
    const { messages, reach, agent, numbers, bodies, idle, clock, asked } = opened;
    const texts = new AgentMessages(messages, numbers);
    expect(await texts.send(reach, { agentId: agent.id, to: ANSWERS, body: 'Hello?' })).toBe('queued');
    await until(async () => (await bodies()).length === 21);
    await idle();
    expect([(await bodies()).length, asked.length]).toEqual([21, 20]);
    clock.advance(3_600_001);
    await texts.send(reach, { agentId: agent.id, to: ANSWERS, body: 'Hello again?' });
    await until(() => asked.length === 40);
    await idle();
  });

  it('answers the last of what was written while nobody could, once the model is back', async () => {
    const away = { now: true };
    const opened = await open(await databases.open(), on, () => {
      if (away.now) throw new BrainError('unreachable', 'away', { retryable: true });
      return 'Here I am.';
    });
    const { carrier, clock, asked, bodies } = opened;
    await carrier.write(PERSON, OURS, 'Hello?');
    await until(() => asked.length === 1);
    clock.advance(1);
    away.now = false;
    await carrier.write(PERSON, OURS, 'Anybody?');
    await until(async () => (await bodies()).length === 1);
    await until(async () => {
      clock.advance(5_000);
      return (await opened.waiting()) === 0;
    });
    expect(await bodies()).toEqual(['Here I am.']);
    expect(asked).toHaveLength(2);
  });

  it('writes nothing that its rules forbid, and nothing that no network carries', async () => {
    const long = `${'word '.repeat(400)}end`;
    const opened = await open(await databases.open(), on, ({ messages }) => messages.at(-1)?.content ?? '', {
      guard: async () => (_before, piece) =>
        piece.includes('guarantee') ? { kind: 'blocked', instead: 'I will check that.' } : null,
    });
    const { carrier, clock, bodies, idle } = opened;
    for (const text of ['I guarantee it', long, '  ']) {
      await carrier.write(PERSON, OURS, text);
      await idle();
      clock.advance(1000);
    }
    const [safe, short, ...none] = await bodies();
    expect([safe, none]).toEqual(['I will check that.', []]);
    expect(short).toMatch(/^(word )+word…$/);
    expect(short?.length).toBeLessThanOrEqual(1600);
  });
});
