import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import type { Surface } from '../../../../src/edge/server/surface.ts';
import { createHearSurface, type HearSurface } from '../../../../src/edge/surfaces/hear/index.ts';
import type { AccessControl } from '../../../../src/foundation/access/contract.ts';
import { createBilling } from '../../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { createLog } from '../../../../src/foundation/platform/log.ts';
import { Models } from '../../../../src/foundation/platform/models/index.ts';
import { openStorage, type Storage } from '../../../../src/foundation/storage/index.ts';
import { AudioDecoder } from '../../../../src/media/codec/index.ts';
import {
  type ChooseRecognizer,
  type EncoderSource,
  type Engine,
  type EngineOptions,
  LaneQueue,
} from '../../../../src/media/engine/index.ts';
import type { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { afterEach } from '../../../helper-hooks.ts';
import { absent as absentAudio, ffmpeg, RECORDING, SPEECH } from '../../../media/codec/recordings.ts';
import { engineWith } from '../../../media/engine/engine-with.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { start } from '../../server/fixtures/start.ts';

export { RECORDING, SPEECH };

const models = new Models();
const needed = ['silero-vad', 'smart-turn', 'whisper-base', 'moonshine-tiny-en'];
const missing = needed.filter((id) => !models.status(id).ready);
/** It names what is missing, and is empty when the tests can run. CI fails instead. */
export const absent = [absentAudio, ...missing].filter(Boolean).join(', ');
if (absent && process.env.CI === 'true') throw new Error(`absent: ${absent}`);
if (absent) console.warn(`the tests of hearing are skipped, for want of ${absent}`);

export const SPOKEN = 'printing in the only sense with which we are at present concerned differs from most';

const storages: Storage[] = [];
afterEach(async () => {
  for (const storage of storages.splice(0)) await storage.close();
});

export interface HearServer {
  readonly url: string;
  readonly access: OneKeyAccess;
  readonly storage: Storage;
  readonly server: Awaited<ReturnType<typeof start>>['server'];
  readonly engine: Engine;
  /** Thousandths of a core that the engine reserves for a stream. */
  readonly laneCost: number;
  billed(): Promise<number[]>;
}

export interface HearServerOptions {
  readonly engine?: EngineOptions;
  readonly encoders?: EncoderSource;
  readonly recognizers?: (engine: Engine) => ChooseRecognizer;
  readonly scopes?: readonly string[];
  /**
   * Tests that recognize nothing set it to false: the models open in the background, which takes long on a busy
   * machine.
   */
  readonly prepared?: boolean;
  readonly clock?: ManualClock;
  readonly accessOf?: (storage: Storage) => Promise<AccessControl>;
  readonly otherSurfaces?: (hear: HearSurface) => Surface[];
}

export async function openHear(options: HearServerOptions = {}): Promise<HearServer> {
  const clock = options.clock ?? systemClock;
  const folder = mkdtempSync(join(tmpdir(), 'hear-'));
  const storage = await openStorage({ dataDir: folder, clock });
  storages.push(storage);
  const accessOf = await options.accessOf?.(storage);
  const access = (accessOf as OneKeyAccess | undefined) ?? new OneKeyAccess(options.scopes);
  const engine = engineWith(options.engine);
  if (options.prepared ?? true) await engine.prepared();
  const surface = createHearSurface({
    access,
    billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
    clock,
    storage,
    log: createLog({ level: 'silent' }),
    engine,
    lanes: new LaneQueue({ engine, clock, waitMs: 0 }),
    decoder: new AudioDecoder({ ffmpeg, temporary: folder, atOnce: 2 }),
    temporary: folder,
    encoders: options.encoders,
    chooseRecognizer: options.recognizers?.(engine),
  });
  const { url, server } = await start({
    access,
    surfaces: [surface, ...(options.otherSurfaces?.(surface) ?? [])],
  });
  return {
    url,
    access,
    storage,
    server,
    engine,
    laneCost: engine.kinds().find((kind) => kind.name === 'hear')?.cost ?? 0,
    billed: async () => {
      const rows = await storage.db.selectFrom('usage_events').select('milliseconds').execute();
      return rows.map((row) => Number(row.milliseconds));
    },
  };
}

export function readPcm(path: string): { pcm: Buffer; rate: number } {
  const bytes = readFileSync(path);
  const rate = bytes.readUInt32LE(24);
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4);
    if (bytes.toString('latin1', at, at + 4) === 'data')
      return { pcm: bytes.subarray(at + 8, at + 8 + size), rate };
    at += 8 + size + (size % 2);
  }
  throw new Error(`${path} holds no audio`);
}

export const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s']/gu, ' ')
    .split(/\s+/)
    .filter(Boolean)
    .join(' ');

// biome-ignore lint/suspicious/noExplicitAny: frames of every kind.
export type Frame = any;

export class StreamClient {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly opened: Promise<void>;
  #reported: (() => void)[] = [];

  constructor(url: string, query = '', key: string = OneKeyAccess.KEY) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/v1/audio/transcriptions/stream?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    this.opened = new Promise((resolve, reject) => {
      this.socket.once('open', () => resolve());
      this.socket.once('unexpected-response', (_request, response) => {
        let body = '';
        response.on('data', (chunk) => (body += chunk));
        response.on('end', () => reject(Object.assign(new Error(body), { status: response.statusCode })));
      });
      this.socket.once('error', reject);
    });
    this.opened.catch(() => undefined);
    this.closed = new Promise((resolve) =>
      this.socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    );
    this.socket.on('message', (data) => {
      this.frames.push(JSON.parse(data.toString()));
      for (const notify of this.#reported.splice(0)) notify();
    });
  }

  of(type: string): Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  control(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  say(pcm: Buffer, rate: number): void {
    const step = Math.floor(rate / 10) * 2;
    for (let at = 0; at < pcm.length; at += step) this.socket.send(pcm.subarray(at, at + step));
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await Promise.race([new Promise<void>((resolve) => this.#reported.push(resolve)), this.#gone()]);
    }
  }

  async #gone(): Promise<never> {
    const { code, reason } = await this.closed;
    throw new Error(`closed with ${code} ${reason} after ${JSON.stringify(this.frames.slice(-3))}`);
  }
}
