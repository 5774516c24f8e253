// @requirement Carriers: An agent answers a media stream of a customer's own account.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { tone } from '../../../../src/telephony/carriers/index.ts';
import { pollDelay, until } from '../../../poll.ts';
import { absent, openPhones, type Phones } from './server.ts';

// biome-ignore lint/suspicious/noExplicitAny: messages of every kind.
type Message = any;

class Carrier {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  readonly closed: Promise<number>;
  #reported: (() => void)[] = [];

  constructor(url: string, headers: Record<string, string> = {}) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/v1/telephony/streams/twilio`, { headers });
    this.closed = new Promise((resolve) => this.socket.once('close', (code) => resolve(code)));
    this.socket.on('message', (data) => {
      this.messages.push(JSON.parse(data.toString()));
      for (const notify of this.#reported.splice(0)) notify();
    });
  }

  async begin(customParameters: Record<string, string>, format: object = {}): Promise<void> {
    await new Promise((resolve) => this.socket.once('open', resolve));
    this.send({ event: 'connected', protocol: 'Call', version: '1.0.0' });
    this.send({
      event: 'start',
      sequenceNumber: '1',
      streamSid: 'MZ1',
      start: {
        streamSid: 'MZ1',
        accountSid: 'AC1',
        callSid: 'CA1',
        tracks: ['inbound'],
        customParameters,
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1, ...format },
      },
    });
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  async until(event: string, count = 1): Promise<Message> {
    for (;;) {
      const found = this.messages.filter((message) => message.event === event);
      if (found.length >= count) return found[0];
      await new Promise<void>((resolve) => this.#reported.push(resolve));
    }
  }
}

class LatePlayout {
  playedMs: number | null = null;
  readonly #carrier: Carrier;
  readonly #bufferMs: number;
  readonly #pieces: { readonly from: number; readonly ms: number }[] = [];
  #to = 0;

  constructor(carrier: Carrier, bufferMs: number) {
    this.#carrier = carrier;
    this.#bufferMs = bufferMs;
    carrier.socket.on('message', (data) => this.#take(JSON.parse(data.toString())));
  }

  #take(message: Message): void {
    const now = performance.now();
    if (message.event === 'media') {
      const from = this.#to > now ? this.#to : now + this.#bufferMs;
      const ms = Buffer.from(message.media.payload, 'base64').length / 8;
      this.#pieces.push({ from, ms });
      this.#to = from + ms;
    } else if (message.event === 'mark') {
      const back = () => this.#carrier.send({ event: 'mark', streamSid: 'MZ1', mark: message.mark });
      setTimeout(back, Math.max(0, this.#to - now));
    } else if (message.event === 'clear' && this.#pieces.length > 0)
      this.playedMs ??= this.#pieces.reduce(
        (all, { from, ms }) => all + Math.min(ms, Math.max(0, now - from)),
        0,
      );
  }
}

describe.skipIf(absent)('a stream of one’s own carrier account', () => {
  let phones: Phones;
  let agent: string;
  let key: string;
  beforeAll(async () => {
    phones = await openPhones();
    agent = await phones.agent({ greeting: 'Good morning {{name}}.' });
    key = phones.authorization.replace('Bearer ', '');
  }, 240_000);
  afterAll(() => phones?.stop());

  it('is answered by the agent that its parameters name, and billed as its talk alone', async () => {
    const carrier = new Carrier(phones.url);
    await carrier.begin({ api_key: key, agent_id: agent, from: '+14155550111', name: 'Alice' });
    const began = performance.now();
    const media = await carrier.until('media', 20);
    expect(media).toMatchObject({ streamSid: 'MZ1', media: { payload: expect.any(String) } });
    expect(Buffer.from(media.media.payload, 'base64')).toHaveLength(160);
    expect(performance.now() - began).toBeLessThan(15_000);
    const payload = Buffer.from(tone([300], 20)).toString('base64');
    carrier.send({
      event: 'media',
      streamSid: 'MZ1',
      media: { track: 'inbound', chunk: '1', timestamp: '0', payload },
    });
    carrier.send({ event: 'dtmf', streamSid: 'MZ1', dtmf: { track: 'inbound_track', digit: '5' } });
    carrier.send({ event: 'stop', streamSid: 'MZ1', stop: { accountSid: 'AC1', callSid: 'CA1' } });
    expect(await carrier.closed).toBe(1000);
    for (;;) {
      const { body } = await phones.send('GET', '/v1/omni/calls');
      const talk = body.data.find((one: Message) => one.agent_id === agent);
      if (talk === undefined) {
        await pollDelay();
        continue;
      }
      expect(talk).toMatchObject({ external_id: '+14155550111' });
      break;
    }
    expect((await phones.send('GET', '/v1/telephony/calls')).body.data).toEqual([]);
  }, 60_000);

  // @requirement Carriers: Asterisk's `chan_websocket` works in both formats.
  it('is answered for an Asterisk that dials by chan_websocket: the URL says who', async () => {
    const mine = await phones.agent({ greeting: 'Good morning {{name}}.' });
    const query = new URLSearchParams({ agent_id: mine, from: '+14155550122', name: 'Alice' });
    const headers = { authorization: phones.authorization };
    const url = `${phones.url.replace('http', 'ws')}/v1/telephony/streams/asterisk?${query}`;
    const socket = new WebSocket(url, { headers });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const texts: string[] = [];
    const spoken = new Promise<void>((resolve) => {
      let bytes = 0;
      socket.on('message', (data: Buffer, isBinary) => {
        if (!isBinary) texts.push(data.toString());
        else if (data.length % 160 === 0) bytes += data.length;
        if (bytes > 160 * 20) resolve();
      });
    });
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send('MEDIA_START connection_id:c1 channel:WebSocket/c1/0x1 channel_id:1.1 format:ulaw');
    await spoken;
    socket.send(Buffer.from(tone([300], 20)));
    socket.send('DTMF_END digit:5 channel_id:1.1');
    expect(texts[0]).toBe('ANSWER');
    socket.close();
    await closed;
    let talk: Message;
    await until(async () => {
      const { body } = await phones.send('GET', '/v1/omni/calls');
      talk = body.data.find((one: Message) => one.agent_id === mine);
      return talk !== undefined;
    });
    expect(talk).toMatchObject({ external_id: '+14155550122' });
  }, 60_000);

  it('knows what of its words a carrier that buffers 800 ms has played', async () => {
    const words = 'One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen.';
    const mine = await phones.agent({ greeting: words });
    const carrier = new Carrier(phones.url);
    const playout = new LatePlayout(carrier, 800);
    await carrier.begin({ api_key: key, agent_id: mine });
    await carrier.until('media', 150);
    carrier.send({ event: 'dtmf', streamSid: 'MZ1', dtmf: { track: 'inbound_track', digit: '5' } });
    await carrier.until('clear');
    const played = playout.playedMs ?? Number.NaN;
    expect(played).toBeGreaterThan(1_000);
    carrier.send({ event: 'stop', streamSid: 'MZ1', stop: { accountSid: 'AC1', callSid: 'CA1' } });
    await carrier.closed;
    let call: Message;
    await until(async () => {
      const { body } = await phones.send('GET', '/v1/omni/calls');
      const talk = body.data.find((one: Message) => one.agent_id === mine);
      call = talk && (await phones.send('GET', `/v1/omni/calls/${talk.call_id}`)).body;
      return call?.transcript?.entries.length > 0;
    });
    const said = call.transcript.entries.find(({ role }: Message) => role === 'agent');
    expect(said).toMatchObject({ interrupted: true });
    expect(said.end_ms - said.start_ms).toBeGreaterThan(played - 400);
    expect(said.end_ms - said.start_ms).toBeLessThan(played + 400);
  }, 60_000);

  it.each([
    ['no key', () => ({ agent_id: agent }), {}, 4401, 'missing_api_key'],
    ['a key of nobody', () => ({ api_key: 'svc_live_x', agent_id: agent }), {}, 4401, 'invalid_api_key'],
    ['no agent', () => ({ api_key: key }), {}, 1008, 'invalid_request'],
    [
      'an agent of nobody',
      () => ({ api_key: key, agent_id: 'agt_00000000000000000000' }),
      {},
      1008,
      'invalid_request',
    ],
  ])(
    'is closed with %s',
    async (_what, parameters, format, code, error) => {
      const carrier = new Carrier(phones.url);
      await carrier.begin(parameters() as Record<string, string>, format);
      expect(await carrier.closed).toBe(code);
      expect(carrier.messages.at(-1).error.code).toBe(error);
    },
    20_000,
  );

  it('is closed for another format, and for what is no message', async () => {
    const wide = new Carrier(phones.url);
    await wide.begin({ api_key: key, agent_id: agent }, { sampleRate: 16000 });
    expect(await wide.closed).toBe(1008);
    const odd = new Carrier(phones.url);
    await new Promise((resolve) => odd.socket.once('open', resolve));
    odd.socket.send('hello');
    expect(await odd.closed).toBe(1008);
  }, 20_000);
});
