// @requirement Telephony: A number routes to an agent, a URL, a forward or voicemail, with fallbacks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itLong } from '../../../long-tests.ts';
import { until } from '../../../poll.ts';
import { absent, openPhones, type Phones } from './server.ts';

const NETWORK = `
numbers:
  '+15005550001': { ring_ms: 100, steps: [ { hang_up: true } ] }
`;
const GREETED = { listen: { silence_ms: 1500, most_ms: 60_000 } };
const WORDS = { say: 'Hello, this is Alice. Please call me back on Tuesday.' };

describe.skipIf(absent)('a voicemail', () => {
  let phones: Phones;
  beforeAll(async () => {
    phones = await openPhones(NETWORK);
  }, 240_000);
  afterAll(() => phones?.stop());

  const number = async (settings: object = {}, agentId?: string) => {
    const made = await phones.number(agentId);
    const path = `/v1/telephony/numbers/${made.id}`;
    const route = { route: { kind: 'voicemail' }, ...settings };
    const changed = await phones.send('PATCH', path, { settings: route });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    return { id: made.id as string, to: made.phone_number as string };
  };
  const called = async (to: string, steps: readonly object[]) => {
    await phones.send('POST', '/v1/telephony/trial-calls', { to, caller: { steps } });
    let found: Record<string, unknown> | undefined;
    await until(async () => {
      const { body } = await phones.send('GET', '/v1/telephony/calls?direction=inbound&state=ended&limit=50');
      found = body.data.find((call: { to: string }) => call.to === to);
      return found !== undefined;
    });
    return found!;
  };
  const messages = async (id: string) =>
    (await phones.send('GET', `/v1/telephony/voicemails?number_id=${id}`)).body.data;
  const received = async (id: string) => {
    await until(async () => (await messages(id))[0]?.completed_at > 0);
    const [message] = await messages(id);
    expect(await phones.event('telephony.voicemail.received', message.id)).toEqual(message);
    return message;
  };
  const sound = async (id: string, range?: string) => {
    const answer = await fetch(`${phones.url}/v1/telephony/voicemails/${id}/recording`, {
      headers: { authorization: phones.authorization, ...(range === undefined ? {} : { range }) },
    });
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  };

  it('keeps what a caller says until they hang up, writes it down, and tells of it once', async () => {
    const { id, to } = await number();
    const call = await called(to, [GREETED, WORDS, { hang_up: true }]);
    expect(call).toMatchObject({
      end_reason: 'completed',
      end_detail: 'a message was left',
      omni_call_id: null,
    });
    const message = await received(id);
    expect(message).toMatchObject({
      object: 'telephony.voicemail',
      call_id: call.id,
      number_id: id,
      from: call.from,
      to,
      status: 'completed',
      error: null,
      recording: true,
    });
    expect(message.transcript).toMatch(/Alice.*Tuesday/s);
    const { status, bytes } = await sound(message.id);
    expect([status, bytes.subarray(0, 4).toString()]).toEqual([200, 'RIFF']);
    expect(bytes.length).toBe(44 + message.duration_s * 16_000);
    expect((await sound(message.id, 'bytes=0-43')).bytes).toEqual(bytes.subarray(0, 44));

    const path = `/v1/telephony/voicemails/${message.id}`;
    expect((await phones.send('GET', path)).body).toEqual(message);
    expect((await phones.send('DELETE', path)).body).toMatchObject({ id: message.id, deleted: true });
    expect((await phones.send('GET', path)).status).toBe(404);
    expect((await sound(message.id)).status).toBe(404);
    const jobs = await phones.send('GET', '/v1/transcription/jobs');
    expect(JSON.stringify(jobs.body)).not.toContain('Alice');
  }, 150_000);

  itLong(
    'ends after a silence, and cuts it off',
    async () => {
      const { id, to } = await number({ voicemail: { silence_s: 2, greeting: 'Speak after the tone.' } });
      const call = await called(to, [GREETED, WORDS, { pause_ms: 60_000 }]);
      expect(call.end_detail).toBe('a message was left');
      const { duration_s: seconds, transcript } = await received(id);
      expect(transcript).toContain('Tuesday');
      expect(seconds).toBeLessThan(call.duration_s as number);
      expect(seconds).toBeLessThan(12);
    },
    150_000,
  );

  itLong(
    'ends at its greatest length, and at the key #',
    async () => {
      const long = await number({ voicemail: { max_duration_s: 5 } });
      await called(long.to, [GREETED, { tone: { hertz: [500], ms: 60_000 } }]);
      expect((await received(long.id)).duration_s).toBe(5);
      const keyed = await number();
      const call = await called(keyed.to, [GREETED, WORDS, { press: '#' }, { pause_ms: 60_000 }]);
      expect(call.end_detail).toBe('a message was left');
      expect((await received(keyed.id)).transcript).toContain('Tuesday');
    },
    240_000,
  );

  itLong(
    'has nothing to keep of who says nothing',
    async () => {
      const { id, to } = await number({ voicemail: { silence_s: 2 } });
      const call = await called(to, [{ pause_ms: 60_000 }]);
      expect(call).toMatchObject({ end_reason: 'completed', end_detail: 'no message was left' });
      expect(await messages(id)).toEqual([]);
    },
    150_000,
  );

  it('takes callers where the URL of a number says so, or fails and nobody else is there', async () => {
    const settings = {
      route: { kind: 'url', url: 'http://127.0.0.1:9/' },
      fallback: { kind: 'voicemail' },
      voicemail: { silence_s: 2 },
    };
    const { id, to } = await number(settings);
    await called(to, [GREETED, WORDS, { hang_up: true }]);
    expect((await received(id)).transcript).toContain('Tuesday');
  }, 150_000);

  it.each([
    [{ voicemail: { max_duration_s: 3 } }, 'settings.voicemail.max_duration_s'],
    [{ voicemail: { silence_s: 60 } }, 'settings.voicemail.silence_s'],
    [{ voicemail: { greeting: '' } }, 'settings.voicemail.greeting'],
    [{ voicemail: { tone: true } }, 'settings.voicemail.tone'],
  ])('refuses %j', async (settings, param) => {
    const { id } = await number();
    const refused = await phones.send('PATCH', `/v1/telephony/numbers/${id}`, { settings });
    expect([refused.status, refused.body.error.param]).toEqual([400, param]);
  });
});
