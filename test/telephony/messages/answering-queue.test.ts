// @requirement Messages: An agent answers written messages, obeys STOP and does not loop with another machine.
import { expect, it } from 'vitest';
import { BrainError, type BrainRequest, systemPrompt } from '../../../src/conversation/brains/index.ts';
import { OPT_OUT } from '../../../src/language/text/index.ts';
import { AgentMessages } from '../../../src/telephony/messages/index.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { until } from '../../poll.ts';
import { ANSWERS, OURS, on, openWriting as open, PERSON } from './writing.ts';

onBothDatabases('an agent that is written to', (databases) => {
  it('answers once, from what was written before, in writing', async () => {
    const opened = await open(
      databases,
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
    const { carrier, asked, bodies, idle } = await open(databases, {}, () => 'Hello.');
    await carrier.write(PERSON, OURS, 'Hello?');
    await idle();
    expect([asked, await bodies()]).toEqual([[], []]);
  });

  it('leaves whoever wrote STOP alone, also where it was thinking meanwhile', async () => {
    const stopped = { by: async () => undefined as unknown };
    const opened = await open(databases, on, async () => {
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
    const opened = await open(databases, on, () => 'Hello, machine.');
    const { messages, scope, agent, numbers, bodies, idle, clock, asked } = opened;
    const texts = new AgentMessages(messages, numbers, () => undefined);
    expect(await texts.send(scope, { agentId: agent.id, to: ANSWERS, body: 'Hello?' })).toBe('queued');
    await until(async () => (await bodies()).length === 21);
    await idle();
    expect([(await bodies()).length, asked.length]).toEqual([21, 20]);
    clock.advance(3_600_001);
    await texts.send(scope, { agentId: agent.id, to: ANSWERS, body: 'Hello again?' });
    await until(() => asked.length === 40);
    await idle();
  });

  it('answers the last of what was written while nobody could, once the model is back', async () => {
    const away = { now: true };
    const opened = await open(databases, on, () => {
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

  // @requirement Messages: Trace rules act on written messages.
  it('writes nothing that its rules forbid, and nothing that no network carries', async () => {
    const long = `${'word '.repeat(400)}end`;
    const opened = await open(databases, on, ({ messages }) => messages.at(-1)?.content ?? '', {
      guard: async () => ({
        writes: async (text) =>
          text.includes('guarantee') ? { kind: 'blocked', instead: 'I will check that.' } : null,
        reads: async () => null,
      }),
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
