// @requirement Transfers: Warm, three-way and cold transfers work, also when nobody accepts.
// @requirement Supervision: Supervisors listen, whisper, join and take over.
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { itLong } from '../../../long-tests.ts';
import { pollDelay } from '../../../poll.ts';
import { absent, makeKey, openPhones, type Phones } from './server.ts';

const NETWORK = `
numbers:
  '+15005550021':
    ring_ms: 100
    steps: [ { listen: { silence_ms: 800 } }, { tone: { hertz: [500], ms: 600000 } } ]
  '+15005550022':
    ring_ms: 100
    steps: [ { pause_ms: 2500 }, { listen: { silence_ms: 1000, most_ms: 600000 } }, { hang_up: true } ]
  '+15005550023': { ring_ms: 100, steps: [ { pause_ms: 300 }, { press: '1' }, { listen: { silence_ms: 700 } }, { press: '*' }, { tone: { hertz: [1500], ms: 1500 } }, { hang_up: true } ] }
  '+15005550024': { ring_ms: 100, steps: [ { pause_ms: 300 }, { press: '1' }, { listen: { silence_ms: 700 } }, { hang_up: true } ] }
`;

function hears(pcm: Buffer, hertz: number): boolean {
  let [re, im, all] = [0, 0, 0];
  for (let at = 0; at < pcm.length / 2; at++) {
    const sample = pcm.readInt16LE(at * 2);
    re += sample * Math.cos((2 * Math.PI * hertz * at) / 8000);
    im += sample * Math.sin((2 * Math.PI * hertz * at) / 8000);
    all += sample * sample;
  }
  return all > 0 && (2 * (re * re + im * im)) / (all * (pcm.length / 2)) > 0.3;
}

const toneOf = (hertz: number, ms: number): Buffer => {
  const pcm = Buffer.alloc(ms * 16);
  for (let at = 0; at < ms * 8; at++)
    pcm.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * hertz * at) / 8000)), at * 2);
  return pcm;
};

class Seat {
  readonly socket: WebSocket;
  readonly reported: { event: string; error?: { code: string }; mode?: string }[] = [];
  #sound = Buffer.alloc(0);
  #changed: () => void = () => undefined;

  constructor(phones: Phones, callId: string, more = '', authorization = phones.authorization) {
    const url = `${phones.url.replace('http', 'ws')}/v1/telephony/supervise?call_id=${callId}${more}`;
    this.socket = new WebSocket(url, { headers: { authorization } });
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#sound = Buffer.concat([this.#sound, data]).subarray(-6400);
      else this.reported.push(JSON.parse(data.toString()));
      this.#changed();
    });
  }

  async event(name: string) {
    await this.#until(() => this.reported.some(({ event }) => event === name));
    const at = this.reported.findIndex(({ event }) => event === name);
    return this.reported.splice(at, 1)[0]!;
  }

  heard = (hertz: number): Promise<void> => this.#until(() => hears(this.#sound, hertz));

  ask(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  async #until(is: () => boolean): Promise<void> {
    while (!is()) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }
}

describe.skipIf(absent)('supervisors and talks of three', () => {
  let phones: Phones;
  let agent: string;
  let from: string;
  beforeAll(async () => {
    phones = await openPhones(NETWORK);
    agent = await phones.agent({ greeting: 'Good morning, this is the office.' });
    from = (await phones.number(agent)).phone_number;
  }, 240_000);
  afterAll(() => phones?.stop());

  const answered = async (to: string): Promise<string> => {
    const { body } = await phones.send('POST', '/v1/telephony/calls', { from, to, agent_id: agent });
    await phones.event('telephony.call.answered', body.id);
    return body.id;
  };
  const talkOf = async (id: string, before: string | null = null): Promise<string> => {
    for (;;) {
      const { body } = await phones.send('GET', `/v1/telephony/calls/${id}`);
      if (body.omni_call_id !== null && body.omni_call_id !== before) return body.omni_call_id;
      await pollDelay();
    }
  };

  it('hears a call, joins it, whispers to its agent, and every step is audited', async () => {
    const id = await answered('+15005550021');
    await talkOf(id);
    const seat = new Seat(phones, id);
    expect(await seat.event('supervising')).toMatchObject({ call_id: id, mode: 'listen', rate: 8000 });
    await seat.heard(500);
    const other = new Seat(phones, id, '&mode=join');
    expect(await other.event('supervising')).toMatchObject({ mode: 'join' });
    const speaking = setInterval(() => other.socket.send(toneOf(2000, 100)), 100);
    await seat.heard(2000);
    clearInterval(speaking);
    seat.ask({ type: 'whisper', text: 'Offer Tuesday at ten.' });
    await seat.event('whispered');
    const path = `/v1/telephony/calls/${id}/whisper`;
    expect((await phones.send('POST', path, { text: 'Or Friday.' })).status).toBe(200);
    seat.ask({ type: 'dance' });
    expect((await seat.event('error')).error?.code).toBe('invalid_request');
    seat.ask({ type: 'hang_up' });
    await seat.event('ended');
    const ended = await phones.event('telephony.call.ended', id);
    expect(ended).toMatchObject({ end_reason: 'completed', end_detail: 'hung up by a supervisor' });
    const { body } = await phones.send('GET', '/v1/audit?limit=100');
    const deeds = body.data.filter((one: { target: string }) => one.target === id);
    expect(deeds.map((one: { action: string }) => one.action.split('.').at(-1)).sort()).toEqual([
      'hung_up',
      'joined',
      'supervised',
      'supervised',
      'whispered',
      'whispered',
    ]);
    expect(JSON.stringify(deeds)).not.toContain('Tuesday');
    const late = await phones.send('POST', path, { text: 'Too late.' });
    expect([late.status, late.body.error.code]).toEqual([409, 'call_not_live']);
  }, 90_000);

  it('takes a call over, is heard by the caller, and gives it back to the agent', async () => {
    const id = await answered('+15005550021');
    const first = await talkOf(id);
    const seat = new Seat(phones, id, '&mode=take_over');
    expect(await seat.event('supervising')).toMatchObject({ mode: 'take_over' });
    while ((await phones.send('GET', `/v1/omni/calls/${first}`)).status !== 200) await pollDelay();
    seat.ask({ type: 'mode', mode: 'listen' });
    expect(await seat.event('mode')).toMatchObject({ mode: 'listen' });
    const second = await talkOf(id, first);
    seat.ask({ type: 'mode', mode: 'take_over' });
    await seat.event('mode');
    seat.socket.close();
    await talkOf(id, second);
    await phones.send('POST', `/v1/telephony/calls/${id}/hangup`);
    await phones.event('telephony.call.ended', id);

    const other = await answered('+15005550022');
    await talkOf(other);
    const owner = new Seat(phones, other, '&mode=take_over');
    await owner.event('supervising');
    const speaking = setInterval(() => owner.socket.send(toneOf(700, 100)), 100);
    setTimeout(() => clearInterval(speaking), 6000);
    await owner.event('ended');
    clearInterval(speaking);
    expect(await phones.event('telephony.call.ended', other)).toMatchObject({
      end_detail: 'hung up by them',
    });
  }, 120_000);

  it.each([
    [
      'another organization’s key',
      async (): Promise<string> => (await makeKey(phones.data)).authorization,
      '',
      404,
    ],
    ['no key', async (): Promise<string> => 'Bearer none', '', 401],
    ['a mode that there is not', async (): Promise<string> => phones.authorization, '&mode=sing', 400],
  ] as const)(
    'refuses %s',
    async (_what, authorization, more, status) => {
      const id = await answered('+15005550021');
      const seat = new Seat(phones, id, more, await authorization());
      const [, response] = (await once(seat.socket, 'unexpected-response')) as [
        unknown,
        { statusCode: number },
      ];
      expect(response.statusCode).toBe(status);
      await phones.send('POST', `/v1/telephony/calls/${id}/hangup`);
    },
    60_000,
  );

  itLong(
    'lets four hear one call, and no more',
    async () => {
      const id = await answered('+15005550021');
      const seats = [1, 2, 3, 4].map(() => new Seat(phones, id));
      for (const seat of seats) await seat.event('supervising');
      const fifth = new Seat(phones, id);
      expect((await fifth.event('error')).error?.code).toBe('concurrency_limit_exceeded');
      await phones.send('POST', `/v1/telephony/calls/${id}/hangup`);
      for (const seat of seats) await seat.event('ended');
    },
    60_000,
  );

  itLong(
    'keeps the agent in a talk of three until the person sends it away, or leaves',
    async () => {
      const order = { kind: 'warm', three_way: true, briefing: 'Alice wants to book.' };
      const alone = await answered('+15005550021');
      const before = await talkOf(alone);
      const seat = new Seat(phones, alone);
      await phones.send('POST', `/v1/telephony/calls/${alone}/transfer`, { ...order, to: '+15005550023' });
      await talkOf(alone, before);
      await seat.heard(1500);
      expect(await phones.event('telephony.call.ended', alone)).toMatchObject({
        end_detail: 'transferred to +15005550023',
      });

      const stays = await answered('+15005550021');
      const first = await talkOf(stays);
      await phones.send('POST', `/v1/telephony/calls/${stays}/transfer`, { ...order, to: '+15005550024' });
      const second = await talkOf(stays, first);
      for (;;) {
        const { body } = await phones.send('GET', '/v1/telephony/calls?state=ended&limit=20');
        const person = body.data.find((one: { to: string }) => one.to === '+15005550024');
        if (person !== undefined) break;
        await pollDelay();
      }
      expect((await phones.send('GET', `/v1/telephony/calls/${stays}`)).body).toMatchObject({
        state: 'answered',
        omni_call_id: second,
      });
      const cold = await phones.send('POST', `/v1/telephony/calls/${stays}/transfer`, {
        to: '+15005550024',
        kind: 'cold',
        three_way: true,
      });
      expect([cold.status, cold.body.error.param]).toEqual([400, 'three_way']);
      await phones.send('POST', `/v1/telephony/calls/${stays}/hangup`);
      await phones.event('telephony.call.ended', stays);
    },
    120_000,
  );
});
