// @requirement Recordings: A recording goes on after a transfer only where the number says so.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itLong } from '../../../long-tests.ts';
import { pollDelay } from '../../../poll.ts';
import { absent, openPhones, type Phones } from './server.ts';

const CALLER_HZ = 500;
const PERSON_HZ = 900;
const NETWORK = `
numbers:
  '+15005550021': { ring_ms: 100, steps: [ { tone: { hertz: [${CALLER_HZ}], ms: 60000 } } ] }
  '+15005550020':
    ring_ms: 100
    steps: [ { pause_ms: 200 }, { press: '1' }, { tone: { hertz: [${PERSON_HZ}], ms: 2500 } }, { hang_up: true } ]
  '+15005550023':
    ring_ms: 100
    steps: [ { pause_ms: 200 }, { press: '1' }, { pause_ms: 2500 }, { tone: { hertz: [${PERSON_HZ}], ms: 2000 } }, { press: '*' }, { tone: { hertz: [${PERSON_HZ}], ms: 2500 } }, { hang_up: true } ]
`;
const RATE = 8000;
const PIECE = 800;

function toneOf(wav: Buffer, side: 0 | 1, hertz: number): number[] {
  const samples = Math.floor((wav.length - 44) / 4);
  return Array.from({ length: Math.floor(samples / PIECE) }, (_, piece) => {
    let power = 0;
    let sine = 0;
    let cosine = 0;
    for (let i = 0; i < PIECE; i++) {
      const value = wav.readInt16LE(44 + (piece * PIECE + i) * 4 + 2 * side);
      power += value * value;
      sine += value * Math.sin((2 * Math.PI * hertz * i) / RATE);
      cosine += value * Math.cos((2 * Math.PI * hertz * i) / RATE);
    }
    return power < PIECE * 100 ? 0 : (2 * (sine * sine + cosine * cosine)) / (PIECE * power);
  });
}

describe.skipIf(absent)('the recording of a call that is handed on', () => {
  let phones: Phones;
  beforeAll(async () => {
    phones = await openPhones(NETWORK);
  }, 240_000);
  afterAll(() => phones?.stop());

  async function handedOn(
    agent: string,
    order: object,
    settings: object = { record_after_transfer: true },
  ): Promise<{ result: { status: string }; wav: Buffer }> {
    const number = await phones.number(agent);
    await phones.send('PATCH', `/v1/telephony/numbers/${number.id}`, { settings });
    const from = number.phone_number;
    const to = '+15005550021';
    const placed = await phones.send('POST', '/v1/telephony/calls', { from, to, agent_id: agent });
    const { id } = placed.body;
    await phones.event('telephony.call.answered', id);
    const call = async () => (await phones.send('GET', `/v1/telephony/calls/${id}`)).body;
    while ((await call()).omni_call_id === null) await pollDelay();
    const handed = await phones.send('POST', `/v1/telephony/calls/${id}/transfer`, {
      kind: 'warm',
      briefing: 'Hello.',
      ...order,
    });
    expect(handed.status, JSON.stringify(handed.body)).toBe(200);
    const { omni_call_id: talk } = await phones.event('telephony.call.ended', id);
    const record = async () => (await phones.send('GET', `/v1/omni/calls/${talk}`)).body.recording_result;
    while (['pending', undefined].includes((await record())?.status)) await pollDelay();
    const answer = await fetch(`${phones.url}/v1/omni/calls/${talk}/recording`, {
      headers: { authorization: phones.authorization },
    });
    return { result: await record(), wav: Buffer.from(await answer.arrayBuffer()) };
  }

  const heard = (shares: readonly number[]) => shares.filter((share) => share > 0.2).length;
  const pure = (shares: readonly number[]) => shares.filter((share) => share > 0.8).length;

  itLong(
    'goes on with the two who talk here, each on their side',
    async () => {
      const agent = await phones.agent({ greeting: 'Hello, one moment.', recordings_enabled: true });
      const { result, wav } = await handedOn(agent, { to: '+15005550020' });
      expect(result.status).toBe('success');
      const person = toneOf(wav, 1, PERSON_HZ);
      const caller = toneOf(wav, 0, CALLER_HZ);
      expect(pure(person)).toBeGreaterThan(12);
      const first = person.findIndex((share) => share > 0.8);
      expect(pure(caller.slice(first))).toBeGreaterThan(12);
      expect(pure(toneOf(wav, 0, PERSON_HZ)) + pure(toneOf(wav, 1, CALLER_HZ))).toBe(0);
    },
    60_000,
  );

  it('ends with the agent unless the number says that it goes on', async () => {
    const agent = await phones.agent({ greeting: 'Hello, one moment.', recordings_enabled: true });
    const { result, wav } = await handedOn(agent, { to: '+15005550020' }, {});
    expect(result.status).toBe('success');
    expect(pure(toneOf(wav, 0, CALLER_HZ))).toBeGreaterThan(0);
    expect(pure(toneOf(wav, 1, PERSON_HZ))).toBe(0);
  }, 60_000);

  itLong(
    'holds the person of a talk of three on the right, goes on when the agent has left it, and ends with an agent whose calls are kept without personal data',
    async () => {
      const agent = await phones.agent({ greeting: 'Hello, one moment.', recordings_enabled: true });
      const three = await handedOn(agent, { to: '+15005550023', three_way: true });
      expect(three.result.status).toBe('success');
      expect(pure(toneOf(three.wav, 1, PERSON_HZ))).toBeGreaterThan(12);
      expect(heard(toneOf(three.wav, 1, PERSON_HZ))).toBeGreaterThan(30);
      expect(heard(toneOf(three.wav, 0, PERSON_HZ))).toBe(0);
      expect(heard(toneOf(three.wav, 0, CALLER_HZ))).toBeGreaterThan(30);

      const careful = await phones.agent({ greeting: 'Hello, one moment.', recordings_enabled: true });
      const gate = { require_consent: false, quiet_hours: null, attempts: null };
      await phones.send('PUT', '/v1/trace/config', { agent_id: careful, redact_records: true, gate });
      const ends = await handedOn(careful, { to: '+15005550020' });
      expect(ends.result.status).toBe('success');
      expect(pure(toneOf(ends.wav, 1, PERSON_HZ))).toBe(0);
    },
    90_000,
  );
});
