/** A dial waits for its agent's capacity, which stays reserved while the telephone rings. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { absent, openPhones, type Phones } from './server.ts';

const NETWORK = `
numbers:
  '+15005550001': { ring_ms: 1000, steps: [ { pause_ms: 3000 }, { hang_up: true } ] }
  '+15005550002': { outcome: busy }
`;

describe.skipIf(absent)('a server with one lane', () => {
  let phones: Phones;
  let agent: string;
  let from: string;
  beforeAll(async () => {
    phones = await openPhones(NETWORK, { TRUNKLINE_MAX_LANES: '1' });
    agent = await phones.agent();
    from = (await phones.number(agent)).phone_number;
  }, 240_000);
  afterAll(() => phones?.stop());

  const dial = async (to: string) => {
    const { status, body } = await phones.send('POST', '/v1/telephony/calls', { from, to, agent_id: agent });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.id as string;
  };
  const stateOf = async (id: string) => (await phones.send('GET', `/v1/telephony/calls/${id}`)).body.state;

  it('dials one call after the other, and each is answered by an agent', async () => {
    const ids = [await dial('+15005550001'), await dial('+15005550001')];
    const answered = await Promise.race(
      ids.map(async (id) => (await phones.event('telephony.call.answered', id)).id as string),
    );
    const waiting = ids.find((id) => id !== answered)!;
    expect(await stateOf(waiting)).toBe('queued');
    const ended = await phones.event('telephony.call.ended', answered);
    const later = await phones.event('telephony.call.ended', waiting);
    for (const call of [ended, later])
      expect(call).toMatchObject({ end_reason: 'completed', omni_call_id: expect.stringMatching(/^ocl_/) });
    expect(later.answered_at).toBeGreaterThanOrEqual(ended.ended_at);
  }, 120_000);

  it('has its room back when nobody answers', async () => {
    const busy = await dial('+15005550002');
    expect(await phones.event('telephony.call.ended', busy)).toMatchObject({ end_reason: 'busy' });
    const next = await dial('+15005550001');
    expect(await phones.event('telephony.call.ended', next)).toMatchObject({ end_reason: 'completed' });
  }, 120_000);
});
