// @requirement Telephony: An agent that may do so calls a caller back, once, whose call was lost with its node; the call goes on.
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { acrossTenants, openStorage } from '../../../../src/foundation/storage/index.ts';
import { Line } from '../../../faults/client.ts';
import { until } from '../../../poll.ts';
import { compileProgram, dataFolder, Running } from '../../../running-server.ts';
import { absent, aMinuteLater, makeKey } from './server.ts';

const READY = /^ready (http:\S+)/;
const [CALLER, DECLINES, SUPPRESSED, ALLOWED, FORBIDDEN] = [
  '+15005550001',
  '+15005550004',
  '+15005550009',
  '+14155550100',
  '+14155550101',
] as const;

const NETWORK = `
numbers:
  '${CALLER}': { ring_ms: 300, steps: [ { pause_ms: 300 }, { say: 'Hello, this is Alice.' }, { listen: { most_ms: 20000 } }, { hang_up: true } ] }
  '${DECLINES}': { ring_ms: 300, outcome: rejected }
`;
const LISTENS = { steps: [{ listen: { silence_ms: 60_000, most_ms: 60_000 } }] };

interface TranscriptEvent {
  readonly type: string;
  readonly at: number;
  readonly data: { readonly call_id: string; readonly text: string; readonly final: boolean };
}

interface Leg {
  readonly direction: string;
  readonly from: string;
  readonly to: string;
  readonly state: string;
  readonly end_reason: string;
  readonly end_detail: string | null;
  readonly omni_call_id: string;
  readonly billed_minutes: number;
}

describe.skipIf(absent)('callers whose server was killed', () => {
  it('are called back once where the agent allows it, and their calls go on', async () => {
    await compileProgram();
    const data = dataFolder();
    const { environment, authorization } = await makeKey(data, NETWORK);
    let url = '';
    const send = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(url + path, {
        method,
        headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: answers of every kind.
      return (await answer.json()) as any;
    };
    const legs = async (): Promise<Leg[]> => (await send('GET', '/v1/telephony/calls?limit=100')).data;
    const first = new Running(['serve'], environment);
    url = (await first.line(READY))[1]!;
    await send('PUT', '/v1/trace/config', {
      gate: { require_consent: false, quiet_hours: null, attempts: null },
    });
    const agentOf = async (call_back_when_lost: boolean): Promise<string> =>
      (
        await send('POST', '/v1/agents', {
          name: 'Maya',
          voice_id: 'joe_en_us',
          greeting: 'Good morning.',
          call_back_when_lost,
        })
      ).id;
    for (const [phone_number, allowed] of [
      [ALLOWED, true],
      [FORBIDDEN, false],
    ] as const)
      await send('POST', '/v1/telephony/numbers', { phone_number, agent_id: await agentOf(allowed) });
    await send('POST', '/v1/trace/suppressions', { phone_number: SUPPRESSED, reason: 'asked' });
    const feed = new Line(
      new WebSocket(`${url.replace('http', 'ws')}/v1/live`, { headers: { authorization } }),
    );
    await feed.opened;
    for (const [from, to] of [
      [CALLER, ALLOWED],
      [DECLINES, ALLOWED],
      [SUPPRESSED, ALLOWED],
      [CALLER, FORBIDDEN],
    ])
      await send('POST', '/v1/telephony/trial-calls', { from, to, caller: LISTENS });
    const storage = await openStorage({ dataDir: data, clock: systemClock });
    const greetings = () =>
      (feed.frames as unknown as TranscriptEvent[]).filter(
        ({ type, data }) => type === 'call.said' && data.final && data.text === 'Good morning.',
      );
    await feed.until(() => greetings().length === 4);
    // A checkpoint that is written later contains the greeting.
    const said = new Map(greetings().map(({ at, data }) => [data.call_id, at]));
    await until(async () => {
      const written = await acrossTenants(storage.db)
        .selectFrom('call_checkpoints')
        .select(['id', 'written_at'])
        .execute();
      return written.length === 4 && written.every((each) => each.written_at > said.get(each.id)!);
    });
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    await aMinuteLater(data);
    const second = new Running(['serve'], environment);
    url = (await second.line(READY))[1]!;

    const back = async (to: string) =>
      (await legs()).filter((leg) => leg.direction === 'outbound' && leg.to === to && leg.state === 'ended');
    await until(async () => {
      for (const to of [CALLER, DECLINES, SUPPRESSED]) if ((await back(to)).length === 0) return false;
      return true;
    });
    const all = await legs();
    const lost = all.filter(({ direction }) => direction === 'inbound');
    expect(lost).toHaveLength(4);
    for (const leg of lost)
      expect(leg).toMatchObject({
        end_reason: 'failed',
        end_detail: 'the server that handled the call failed',
        billed_minutes: 0,
      });
    const [goesOn, unreached, ended] = [
      [CALLER, ALLOWED],
      [DECLINES, ALLOWED],
      [CALLER, FORBIDDEN],
    ].map(([from, to]) => lost.find((leg) => leg.from === from && leg.to === to)?.omni_call_id);
    expect(all.filter(({ direction }) => direction === 'outbound')).toHaveLength(3);
    expect(await back(CALLER)).toMatchObject([
      { from: ALLOWED, end_reason: 'completed', omni_call_id: goesOn, billed_minutes: 1 },
    ]);
    expect(await back(SUPPRESSED)).toMatchObject([{ end_reason: 'failed', end_detail: 'suppressed' }]);
    expect(await back(DECLINES)).toMatchObject([
      { from: ALLOWED, end_reason: 'rejected', billed_minutes: 0 },
    ]);

    await until(async () => (await send('GET', `/v1/omni/calls/${goesOn}`)).status === 'completed');
    const record = await send('GET', `/v1/omni/calls/${goesOn}`);
    const entries = record.transcript.entries.map(
      ({ role, text }: Record<string, string>) => `${role}: ${text}`,
    );
    expect(entries[0]).toBe('agent: Good morning.');
    expect(entries.join(' ')).toContain('agent: Sorry, we were cut off.');
    const whole = await send('GET', `/v1/calls/${goesOn}`);
    expect(whole).toMatchObject({ state: 'ended', sessions: [{ id: goesOn }] });
    expect(whole.legs.map(({ direction }: Leg) => direction)).toEqual(['inbound', 'outbound']);

    // Nobody answered: the session ends as if its client had not come back.
    await acrossTenants(storage.db)
      .updateTable('call_checkpoints')
      .set({ resume_by: 1 })
      .where('id', '=', unreached as string)
      .execute();
    await until(async () => (await send('GET', `/v1/omni/calls/${unreached}`)).status === 'completed');
    expect(await send('GET', `/v1/omni/calls/${ended}`)).toMatchObject({ status: 'failed' });
    const usage = await storage.db
      .selectFrom('usage_events')
      .select(['resource', 'milliseconds'])
      .where('resource', 'in', [goesOn, unreached, ended] as string[])
      .execute();
    const billed = new Map(usage.map(({ resource, milliseconds }) => [resource, Number(milliseconds)]));
    expect(usage.length).toBe(billed.size);
    expect(billed.get(goesOn as string)).toBeGreaterThan(0);
    expect(billed.get(unreached as string)).toBeGreaterThan(0);
    expect(billed.get(ended as string) ?? 0).toBe(0);
    await storage.close();
  }, 240_000);
});
