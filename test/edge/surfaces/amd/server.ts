import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { createAmdSurface } from '../../../../src/edge/surfaces/amd/index.ts';
import { DEFAULT_RETENTION } from '../../../../src/foundation/access/index.ts';
import { createBilling } from '../../../../src/foundation/billing/index.ts';
import { JobQueue } from '../../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { createLog } from '../../../../src/foundation/platform/log.ts';
import { Models } from '../../../../src/foundation/platform/models/index.ts';
import { UrlGate } from '../../../../src/foundation/platform/url-gate/index.ts';
import { openStorage, type Storage } from '../../../../src/foundation/storage/index.ts';
import { LaneQueue } from '../../../../src/media/engine/index.ts';
import { AmdCallStore, AmdSettingsStore, wordsSweep } from '../../../../src/products/amd/index.ts';
import { answerModel, holdModel, type InCallDeps } from '../../../../src/speech/amd/index.ts';
import type { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { CheckedWebhooks } from '../../../foundation/webhooks/checked.ts';
import { afterEach } from '../../../helper-hooks.ts';
import { engineWith } from '../../../media/engine/engine-with.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { start } from '../../server/fixtures/start.ts';

const models = new Models();
const missing = ['silero-vad', 'smart-turn', 'whisper-base', 'moonshine-tiny-en'].filter(
  (id) => !models.status(id).ready,
);
export const absent = missing.join(', ');
if (absent && process.env.CI === 'true') throw new Error(`absent: ${absent}`);

const storages: Storage[] = [];
afterEach(async () => {
  for (const storage of storages.splice(0)) await storage.close();
});

export interface AmdServer {
  readonly url: string;
  readonly access: OneKeyAccess;
  readonly storage: Storage;
  readonly detection: InCallDeps & { readonly calls: AmdCallStore };
  billed(): Promise<{ meter: string; count: number; resource: string }[]>;
}

export async function openAmd(clock: ManualClock | undefined = undefined): Promise<AmdServer> {
  const engine = engineWith();
  await engine.prepared();
  const storage = await openStorage({
    dataDir: mkdtempSync(join(tmpdir(), 'amd-')),
    clock: clock ?? systemClock,
  });
  storages.push(storage);
  const access = new OneKeyAccess();
  const log = createLog({ level: 'silent' });
  const gate = new UrlGate({ allowLoopback: true, clock: systemClock });
  const queue = new JobQueue(storage, systemClock);
  const webhooks = new CheckedWebhooks({
    storage,
    queue,
    gate,
    clock: systemClock,
    background: new BackgroundTasks({ clock: systemClock }),
  });
  const billing = createBilling({
    storage,
    clock: systemClock,
    background: new BackgroundTasks({ clock: systemClock }),
  });
  const detection = {
    lanes: new LaneQueue({ engine, clock: clock ?? systemClock, waitMs: 0 }),
    log,
    models: { answers: answerModel(), holds: holdModel() },
    calls: new AmdCallStore({ storage, billing, webhooks, clock: systemClock }),
    settings: new AmdSettingsStore(storage, systemClock),
  };
  const surface = createAmdSurface({
    ...detection,
    access,
    clock: clock ?? systemClock,
    gate,
    words: wordsSweep({
      storage,
      clock: systemClock,
      background: new BackgroundTasks({ clock: systemClock }),
      retention: async () => ({ ...DEFAULT_RETENTION, transcript: 365 }),
    }),
  });
  const { url } = await start({ access, surfaces: [surface] });
  return {
    url,
    access,
    storage,
    detection,
    billed: async () =>
      (await storage.db.selectFrom('usage_events').select(['meter', 'count', 'resource']).execute()).map(
        (row) => ({
          ...row,
          count: Number(row.count),
        }),
      ),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: messages of every kind.
export type Message = any;

export class CarrierStream {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly opened: Promise<void>;
  #reported: (() => void)[] = [];
  #sent = 0;

  constructor(
    url: string,
    options: { protocols?: string[]; headers?: Record<string, string>; query?: string } = {},
  ) {
    this.socket = new WebSocket(
      `${url.replace('http', 'ws')}/v1/amd/stream${options.query ?? ''}`,
      options.protocols ?? [],
      {
        headers: options.headers ?? {},
      },
    );
    this.opened = new Promise((resolve, reject) => {
      this.socket.once('open', () => resolve());
      this.socket.once('unexpected-response', (_request, response) =>
        reject(Object.assign(new Error('refused'), { status: response.statusCode })),
      );
      this.socket.once('error', reject);
    });
    this.opened.catch(() => undefined);
    this.closed = new Promise((resolve) =>
      this.socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    );
    this.socket.on('message', (data) => {
      this.messages.push(JSON.parse(data.toString()));
      for (const notify of this.#reported.splice(0)) notify();
    });
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  begin(parameters: Record<string, unknown> = { api_key: OneKeyAccess.KEY }, more: object = {}): void {
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
        customParameters: parameters,
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
        ...more,
      },
    });
  }

  say(ulaw: Uint8Array, track = 'inbound'): void {
    for (let at = 0; at < ulaw.length; at += 160) {
      this.send(this.media(this.#sent, ulaw.subarray(at, at + 160), track));
      if (track === 'inbound') this.#sent++;
    }
  }

  async play(ulaw: Uint8Array): Promise<void> {
    const began = performance.now();
    for (let at = 0; at < ulaw.length && this.socket.readyState === WebSocket.OPEN; at += 160) {
      const wait = began + at / 8 - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      this.say(ulaw.subarray(at, at + 160));
    }
  }

  media(chunk: number, payload: Uint8Array, track = 'inbound'): object {
    return {
      event: 'media',
      sequenceNumber: String(chunk + 2),
      streamSid: 'MZ1',
      media: {
        track,
        chunk: String(chunk + 1),
        timestamp: String(chunk * 20),
        payload: Buffer.from(payload).toString('base64'),
      },
    };
  }

  of(event: string): Message[] {
    return this.messages.filter((message) => message.event === event);
  }

  async until(event: string): Promise<Message> {
    while (this.of(event).length === 0) {
      const reported = new Promise<void>((resolve) => this.#reported.push(resolve));
      await Promise.race([reported, this.#gone()]);
    }
    return this.of(event)[0];
  }

  async #gone(): Promise<never> {
    const { code, reason } = await this.closed;
    throw new Error(`closed with ${code} ${reason} after ${JSON.stringify(this.messages.slice(-3))}`);
  }
}
