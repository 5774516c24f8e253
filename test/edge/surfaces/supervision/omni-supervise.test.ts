// @requirement Supervision: Calls of browsers and sockets are heard, whispered to, joined and taken over.

import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { levelOf, noise } from '../../../media/engine/fixtures/noise.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { absent, Client, openOmni, VOICE } from '../omni/server.ts';

const RATE = 16_000;

function share(pcm: Buffer, hertz: number): number {
  let [re, im, all] = [0, 0, 0];
  for (let at = 0; at < pcm.length / 2; at++) {
    const sample = pcm.readInt16LE(at * 2);
    re += sample * Math.cos((2 * Math.PI * hertz * at) / RATE);
    im += sample * Math.sin((2 * Math.PI * hertz * at) / RATE);
    all += sample * sample;
  }
  return all === 0 ? 0 : (2 * (re * re + im * im)) / (all * (pcm.length / 2));
}

const toneOf = (hertz: number, ms: number): Buffer => {
  const pcm = Buffer.alloc((ms * RATE * 2) / 1000);
  for (let at = 0; at < pcm.length / 2; at++)
    pcm.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * hertz * at) / RATE)), at * 2);
  return pcm;
};

interface SeatMessage {
  readonly event: string;
  readonly error?: { readonly code: string; readonly param: string | null };
  readonly mode?: string;
}

class Seat {
  readonly socket: WebSocket;
  readonly messages: SeatMessage[] = [];
  sound = Buffer.alloc(0);
  #changed: () => void = () => undefined;

  constructor(url: string, callId: string, more = '') {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/v1/omni/supervise?call_id=${callId}${more}`, {
      headers: { authorization: `Bearer ${OneKeyAccess.KEY}` },
    });
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.sound = Buffer.concat([this.sound, data]).subarray(-RATE);
      else this.messages.push(JSON.parse(data.toString()));
      this.#changed();
    });
  }

  async event(name: string): Promise<SeatMessage> {
    await this.until(() => this.messages.some(({ event }) => event === name));
    const at = this.messages.findIndex(({ event }) => event === name);
    return this.messages.splice(at, 1)[0]!;
  }

  heard = (hertz: number): Promise<void> => this.until(() => share(this.sound, hertz) > 0.3);

  ask(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  async until(is: () => boolean): Promise<void> {
    while (!is()) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }
}

const soundOf = ({ audio }: Client, ms: number): Buffer =>
  Buffer.concat(audio).subarray(-ms * 2 * (RATE / 1000));

describe.skipIf(Boolean(absent))('supervisors of a call without a telephone', () => {
  const running: { stop(): void }[] = [];
  afterEach(() => {
    for (const one of running.splice(0)) one.stop();
  });
  const talking = async (more: Record<string, unknown> = {}) => {
    const server = await openOmni();
    const client = await new Client(server.url, `format=pcm16&rate=${RATE}`).opened();
    const { call_id } = await client.configure({ language: 'en', voice_id: VOICE, greeting: '', ...more });
    return { ...server, client, id: String(call_id) };
  };
  /** The caller sends a tone until the test is over. */
  const sounds = (client: Client, hertz: number): void => {
    const tone = toneOf(hertz, 20);
    const timer = setInterval(() => client.socket.send(Buffer.concat([Buffer.of(1), tone])), 20);
    running.push({ stop: () => clearInterval(timer) });
  };
  const says = (seat: Seat, hertz: number): { stop(): void } => {
    const timer = setInterval(() => seat.socket.send(toneOf(hertz, 20)), 20);
    const one = { stop: () => clearInterval(timer) };
    running.push(one);
    return one;
  };

  it('hear the caller and the agent at the call’s own rate, with levels, and learn of its end', async () => {
    const { url, client, id } = await talking({ greeting: 'Good morning. '.repeat(12) });
    sounds(client, 500);
    const seat = new Seat(url, id, '&levels=true');
    expect(await seat.event('supervising')).toEqual({
      event: 'supervising',
      call_id: id,
      mode: 'listen',
      encoding: 'pcm16',
      rate: RATE,
    });
    await seat.heard(500);
    await seat.until(() =>
      seat.messages.some((one) => one.event === 'levels' && 'agent' in one && Number(one.agent) > -60),
    );
    client.control({ type: 'end' });
    await seat.event('ended');
    const late = new Seat(url, id);
    const refused = await new Promise<number>((resolve) =>
      late.socket.on('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode)),
    );
    expect(refused).toBe(404);
  }, 60_000);

  it('hear the call without the noise of the line where they ask for that, each for himself', async () => {
    const { url, client, id, engine } = await talking();
    const line = noise(RATE / 50);
    const timer = setInterval(() => client.socket.send(Buffer.concat([Buffer.of(1), line])), 20);
    running.push({ stop: () => clearInterval(timer) });
    const [noisy, clean] = [new Seat(url, id), new Seat(url, id, '&denoise=true')];
    expect(await noisy.event('supervising')).not.toHaveProperty('denoised');
    expect(await clean.event('supervising')).toMatchObject({ denoised: true });
    const idle = engine.work.whenLiveIdle(new AbortController().signal).then(() => 'idle');
    const soon = new Promise((resolve) => setImmediate(resolve));
    expect(await Promise.race([idle, soon]), 'a sandbox call takes no live capacity').toBe('idle');
    const isFull = ({ sound }: Seat) => sound.length === RATE;
    await noisy.until(() => isFull(noisy) && levelOf(noisy.sound) > 1000);
    await clean.until(() => isFull(clean) && levelOf(clean.sound) < levelOf(noisy.sound) / 10);
    expect(levelOf(noisy.sound)).toBeGreaterThan(1000);
    client.socket.close();
  }, 60_000);

  it('are heard by the caller when they join, and only then', async () => {
    const { url, client, id } = await talking();
    const seat = new Seat(url, id);
    await seat.event('supervising');
    says(seat, 2000);
    seat.ask({ type: 'whisper', text: 'Offer Tuesday at ten.' });
    await seat.event('whispered');
    expect(client.audioBytes).toBe(0);
    seat.ask({ type: 'mode', mode: 'join' });
    expect(await seat.event('mode')).toMatchObject({ mode: 'join' });
    await client.until(() => share(soundOf(client, 200), 2000) > 0.3);
    const other = new Seat(url, id, '&mode=dance');
    const refused = await new Promise<number>((resolve) =>
      other.socket.on('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode)),
    );
    expect(refused).toBe(400);
    client.socket.close();
  }, 60_000);

  it('take no seat with a mode that is refused, and whisper to no agent that is silent', async () => {
    const { url, client, id } = await talking();
    const owner = new Seat(url, id, '&mode=take_over');
    await owner.event('supervising');
    for (let tries = 0; tries < 4; tries++) {
      const late = new Seat(url, id, '&mode=take_over');
      expect((await late.event('error')).error).toMatchObject({ code: 'call_not_live', param: 'mode' });
    }
    owner.ask({ type: 'whisper', text: 'Offer Tuesday at ten.' });
    expect((await owner.event('error')).error).toMatchObject({ code: 'call_not_live', param: 'text' });
    client.socket.close();
  }, 60_000);

  it('silence the agent when they take the call over, and give it back', async () => {
    const { url, client, id, storage } = await talking({ greeting: 'Good morning. '.repeat(30) });
    // Only words that were played can be interrupted.
    await client.until(() => client.audioBytes > 48_000);
    const seat = new Seat(url, id, '&mode=take_over&agent=listens');
    expect(await seat.event('supervising')).toMatchObject({ mode: 'take_over' });
    await client.event('barge_in');
    const before = client.transcripts.filter(({ role, final }) => role === 'agent' && final).length;
    const voice = says(seat, 2000);
    await client.until(() => share(soundOf(client, 400), 2000) > 0.8);
    client.control({ type: 'user_text', text: 'Are you a person?' });
    await client.until(() =>
      client.transcripts.some(({ role, text }) => role === 'user' && text === 'Are you a person?'),
    );
    const second = new Seat(url, id, '&mode=take_over');
    expect((await second.event('error')).error).toMatchObject({ code: 'call_not_live', param: 'mode' });
    voice.stop();
    seat.ask({ type: 'mode', mode: 'listen' });
    expect(await seat.event('mode')).toMatchObject({ mode: 'listen' });
    await client.until(
      () => client.transcripts.filter(({ role, final }) => role === 'agent' && final).length > before,
    );
    seat.ask({ type: 'hang_up' });
    await seat.event('ended');
    expect(await client.closed()).toBe(1000);
    expect(await client.event('ended')).toMatchObject({ reason: 'agent_ended' });
    const deeds = await storage.db
      .selectFrom('audit_entries')
      .select('action')
      .where('target', '=', id)
      .execute();
    expect(deeds.map(({ action }) => action).sort()).toEqual([
      'omni.call.hung_up',
      'omni.call.listened',
      'omni.call.supervised',
      'omni.call.supervised',
      'omni.call.taken_over',
    ]);
  }, 60_000);
});
