import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { pollDelay } from '../../poll.ts';
import { dataFolder, Running } from '../../running-server.ts';
import { fetchInRate, type Person } from './seeded.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every route.
type Json = any;

const models = new Models();
/** Names the models that a call needs and that are missing; importing the whole server's list would load all of it. */
export const absent = ['silero-vad', 'moonshine-tiny-en', 'listening', 'kokoro', 'espeak-ng']
  .filter((id) => !models.status(id).ready)
  .join(', ');
if (absent && process.env.CI === 'true') throw new Error(`absent: ${absent}`);

export const TALKS = '+15005550031';
export const HOLDS = '+15005550032';
export const WAITS_FOR_WORDS = '+15005550033';
export const BUSY = '+15005550034';
export const ASKS = '+15005550035';
export const OPERATOR_TOKEN = 'operator-of-a-call-centre';
const NETWORK = `
numbers:
  '${TALKS}':
    ring_ms: 100
    steps: [ { listen: { silence_ms: 800 } }, { say: 'I would like a table for two.' }, { listen: { silence_ms: 1000, most_ms: 8000 } }, { hang_up: true } ]
  '${HOLDS}':
    ring_ms: 100
    steps: [ { listen: { silence_ms: 800 } }, { tone: { hertz: [500], ms: 600000 } } ]
  '${WAITS_FOR_WORDS}':
    ring_ms: 100
    steps: [ { listen: { silence_ms: 800 } }, { tone: { hertz: [500], ms: 5000 } }, { listen: { silence_ms: 1000, most_ms: 300000 } }, { hang_up: true } ]
  '${ASKS}':
    ring_ms: 100
    steps: [ { say: 'Hello, this is Ann speaking.' }, { listen: { silence_ms: 1200, most_ms: 60000 } }, { say: 'When do you open, and where is my order?' }, { listen: { silence_ms: 1200, most_ms: 60000 } }, { press: '4711#' }, { listen: { silence_ms: 2000, most_ms: 60000 } }, { say: 'Do your plumbers repair old church organs?' }, { listen: { silence_ms: 1200, most_ms: 60000 } }, { hang_up: true } ]
  '${BUSY}':
    outcome: busy
`;

export async function serveTelephones(more: Record<string, string> = {}): Promise<string> {
  const network = join(dataFolder(), 'network.yaml');
  writeFileSync(network, NETWORK);
  const server = new Running(['serve'], {
    TRUNKLINE_CARRIER: 'loopback',
    TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1',
    TRUNKLINE_LOOPBACK_NETWORK: network,
    TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
    TRUNKLINE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    ...more,
  });
  const [, url] = await server.line(/^ready (http:\S+)/);
  return url as string;
}

export interface Talk {
  id: string;
  /** The last two seconds of what the caller hears. */
  heard: Buffer;
  close(): void;
}

export class Office {
  readonly url: string;
  readonly #authorization: string;
  readonly #session: string;
  readonly #events: Json[] = [];
  readonly #watching: Promise<void>;
  #reported: (() => void)[] = [];
  agent = '';
  number = '';

  private constructor(url: string, key: string, session: string) {
    this.url = url;
    this.#session = `Bearer ${session}`;
    this.#authorization = `Bearer ${key}`;
    const live = new WebSocket(`${url.replace('http', 'ws')}/v1/live`, ['svc.v1', `svc-key.${key}`]);
    onTestFinished(() => live.terminate());
    this.#watching = new Promise((resolve) => live.once('open', () => resolve()));
    live.on('message', (data) => {
      this.#events.push(JSON.parse(String(data)));
      for (const notify of this.#reported.splice(0)) notify();
    });
  }

  async supervise(callId: string): Promise<WebSocket> {
    const address = `${this.url.replace('http', 'ws')}/v1/telephony/supervise?call_id=${callId}`;
    const socket = new WebSocket(address, { headers: { authorization: this.#authorization } });
    await new Promise<void>((resolve) => socket.once('message', () => resolve()));
    return socket;
  }

  /** A call over a socket, whose caller sends a tone of 500 Hz. */
  async talk(): Promise<Talk> {
    await this.#watching;
    const address = `${this.url.replace('http', 'ws')}/v1/omni?format=pcm16&rate=16000&agent_id=${this.agent}`;
    const socket = new WebSocket(address, { headers: { authorization: this.#authorization } });
    const talk: Talk = { id: '', heard: Buffer.alloc(0), close: () => socket.close() };
    const configured = new Promise<void>((resolve) =>
      socket.on('message', (data: Buffer) => {
        if (data[0] === 1) talk.heard = Buffer.concat([talk.heard, data.subarray(1)]).subarray(-64_000);
        if (data[0] !== 3) return;
        const { event, call_id } = JSON.parse(data.subarray(1).toString());
        if (event !== 'configured') return;
        talk.id = call_id;
        resolve();
      }),
    );
    await once(socket, 'open');
    socket.send(Buffer.concat([Buffer.of(3), Buffer.from('{"type":"configure"}')]));
    await configured;
    const frame = Buffer.alloc(641, 1);
    for (let at = 0; at < 320; at++)
      frame.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 500 * at) / 16_000)), 1 + at * 2);
    const timer = setInterval(() => socket.send(frame), 20);
    socket.once('close', () => clearInterval(timer));
    onTestFinished(() => socket.terminate());
    return talk;
  }

  async event(type: string, callId: string): Promise<Json> {
    for (;;) {
      const found = this.#events.find((event) => event.type === type && event.data.id === callId);
      if (found !== undefined) return found.data;
      await new Promise<void>((resolve) => this.#reported.push(resolve));
    }
  }

  async invite(email: string, password: string, role: string): Promise<void> {
    const [project] = (await this.send('GET', '/v1/projects', undefined, this.#session)).data;
    const asked = { email, role, project_ids: [project.id] };
    const { url } = await this.send('POST', '/v1/members/invitations', asked, this.#session);
    await this.send('POST', new URL(url).pathname, { password, name: role }, '');
  }

  static async open(url: string, who: Person): Promise<Office> {
    const json = { 'content-type': 'application/json' };
    const signedIn = await fetch(`${url}/auth/login`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(who),
    });
    const { token } = (await signedIn.json()) as Json;
    const asked = await fetch(`${url}/auth/session/key`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${token}` },
      body: JSON.stringify({ environment: 'sandbox' }),
    });
    const office = new Office(url, ((await asked.json()) as Json).api_key, token);
    const gate = { require_consent: false, quiet_hours: null, attempts: null };
    await office.send('PUT', '/v1/trace/config', { gate });
    office.agent = (
      await office.send('POST', '/v1/agents', {
        name: 'Reception',
        greeting: 'Good morning, this is the office.',
        recordings_enabled: true,
      })
    ).id;
    const free = await office.send('GET', '/v1/telephony/available-numbers?country=US&limit=1');
    office.number = free.data[0].phone_number;
    const { number: phone_number, agent: agent_id } = office;
    await office.send('POST', '/v1/telephony/numbers', { phone_number, agent_id });
    return office;
  }

  async send(
    method: string,
    path: string,
    body?: object,
    authorization = this.#authorization,
  ): Promise<Json> {
    const answer = await fetchInRate(this.url + path, {
      method,
      headers: {
        ...(authorization === '' ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const reported = await answer.json();
    expect(answer.ok, `${path}: ${JSON.stringify(reported)}`).toBe(true);
    return reported;
  }

  asPerson(path: string): Promise<Json> {
    return this.send('GET', path, undefined, this.#session);
  }

  async speakLive(input: string): Promise<void> {
    const { organization } = await this.asPerson('/auth/session');
    const credit = { org_id: organization.id, amount_micros: 1_000_000 };
    await this.send('POST', '/v1/billing/credits', credit, `Bearer ${OPERATOR_TOKEN}`);
    const place = { environment: 'live' };
    const { api_key: key } = await this.send('POST', '/auth/session/key', place, this.#session);
    const answer = await fetch(`${this.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'svc-speak', voice: 'en1', input }),
    });
    expect(answer.ok, String(answer.status)).toBe(true);
    await answer.arrayBuffer();
  }

  async bytes(path: string): Promise<Buffer> {
    const answer = await fetch(this.url + path, { headers: { authorization: this.#authorization } });
    return Buffer.from(await answer.arrayBuffer());
  }

  async call(to: string, more: object = {}): Promise<string> {
    const { number: from, agent: agent_id } = this;
    // The live feed sends no earlier events, so the call waits until the feed is open.
    await this.#watching;
    return (await this.send('POST', '/v1/telephony/calls', { from, to, agent_id, ...more })).id;
  }

  async once(path: string, is: (reported: Json) => boolean): Promise<Json> {
    const headers = { authorization: this.#authorization };
    for (;;) {
      const answer = await fetchInRate(this.url + path, { headers });
      const reported = (await answer.json()) as Json;
      if (answer.ok && is(reported)) return reported;
      // A call's record is written a moment after its end.
      expect([200, 404], `${path}: ${JSON.stringify(reported)}`).toContain(answer.status);
      await pollDelay();
    }
  }
}
