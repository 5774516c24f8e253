// @requirement Telephony: A voicemail survives a killed server.
// @requirement Campaigns: A killed server dials nobody twice.
// @requirement Telephony: A node that is killed in mid-call ends its calls with a code, and nothing is billed twice.
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { acrossTenants, openStorage } from '../../../../src/foundation/storage/index.ts';
import { until } from '../../../poll.ts';
import { compileProgram, dataFolder, Running } from '../../../running-server.ts';
import { absent, aMinuteLater, makeKey } from './server.ts';

const READY = /^ready (http:\S+)/;

const SLOW = `
numbers:
  '+15005550001': { ring_ms: 300, steps: [ { pause_ms: 1500 }, { hang_up: true } ] }
  '+15005550002': { ring_ms: 300, outcome: busy }
`;

const SPEAKS = [
  { listen: { silence_ms: 500, most_ms: 20_000 } },
  { say: 'Hello, this is Alice. Please call me back on Tuesday, and bring the papers that I left with you.' },
  { pause_ms: 60_000 },
];

function spoken(data: string): number {
  const folder = join(data, 'voicemails');
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

describe.skipIf(absent)('a server that is killed', () => {
  it('dials again only whose call was lost, bills nothing for lost calls and says so, and keeps what a caller was saying', async () => {
    await compileProgram();
    const data = dataFolder();
    const { environment, authorization } = await makeKey(data, SLOW);
    const send = async (url: string, method: string, path: string, body?: unknown) => {
      const headers = {
        authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(url + path, { method, headers, ...sent });
      // biome-ignore lint/suspicious/noExplicitAny: answers of every kind.
      return (await answer.json()) as any;
    };
    const first = new Running(['serve'], environment);
    let url = (await first.line(READY))[1]!;
    const { id: agent } = await send(url, 'POST', '/v1/agents', { name: 'Maya', voice_id: 'joe_en_us' });
    const from = '+14155550100';
    const gate = { require_consent: false, quiet_hours: null, attempts: null };
    await send(url, 'PUT', '/v1/trace/config', { gate });
    await send(url, 'POST', '/v1/telephony/numbers', { phone_number: from });
    const mailbox = '+14155550101';
    const { id: box } = await send(url, 'POST', '/v1/telephony/numbers', { phone_number: mailbox });
    const settings = { route: { kind: 'voicemail' }, voicemail: { greeting: 'Speak.' } };
    await send(url, 'PATCH', `/v1/telephony/numbers/${box}`, { settings });
    await send(url, 'POST', '/v1/telephony/trial-calls', { to: mailbox, caller: { steps: SPEAKS } });
    await until(async () => spoken(data) > 16_000);
    const targets = Array.from({ length: 12 }, (_, at) => ({ to: at % 2 ? '+15005550001' : '+15005550002' }));
    const pacing = { concurrent: 4, calls_per_minute: 6000 };
    const body = { name: 'Killed', from, agent_id: agent, targets, pacing };
    const { id } = await send(url, 'POST', '/v1/telephony/campaigns', body);
    await send(url, 'POST', `/v1/telephony/campaigns/${id}/start`);
    const calls = async (more = '') =>
      (await send(url, 'GET', `/v1/telephony/calls?campaign_id=${id}&limit=100${more}`)).data;
    await until(async () => (await calls('&state=answered')).length > 0);
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    await aMinuteLater(data);
    const second = new Running(['serve'], environment);
    url = (await second.line(READY))[1]!;
    const storage = await openStorage({ dataDir: data, clock: systemClock });
    await until(async () => {
      // A target whose call was lost is dialed again a minute later.
      await acrossTenants(storage.db)
        .updateTable('telephony_targets')
        .set({ next_at: 0 })
        .where('state', '=', 'waiting')
        .execute();
      return (await send(url, 'GET', `/v1/telephony/campaigns/${id}`)).state === 'done';
    });
    await storage.close();
    const all = await calls();
    const lost = all.filter((call: { end_detail: string | null }) =>
      /that handled the call failed/.test(call.end_detail ?? ''),
    );
    expect(lost.length).toBeGreaterThan(0);
    expect(all).toHaveLength(targets.length + lost.length);
    for (const call of lost) expect(call).toMatchObject({ end_reason: 'failed', billed_minutes: 0 });
    const reported = all.reduce(
      (sum: number, call: { billed_minutes: number }) => sum + call.billed_minutes,
      0,
    );
    const { data: usage } = await send(url, 'GET', '/v1/billing/usage');
    const lines = usage.filter((line: { meter: string }) => line.meter === 'telephony');
    const minutes = lines.reduce((sum: number, line: { call_minutes: number }) => sum + line.call_minutes, 0);
    expect(minutes).toBe(reported);
    let stored: { duration_s: number }[] = [];
    await until(async () => {
      stored = (await send(url, 'GET', `/v1/telephony/voicemails?number_id=${box}`)).data;
      return stored.length > 0;
    });
    expect(stored).toHaveLength(1);
    expect(stored[0]?.duration_s).toBeGreaterThan(1);
  }, 180_000);
});
