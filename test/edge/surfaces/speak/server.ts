import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { createSpeakSurface } from '../../../../src/edge/surfaces/speak/index.ts';
import type { Principal } from '../../../../src/foundation/access/contract.ts';
import type { Billing, UsageEvent } from '../../../../src/foundation/billing/contract.ts';
import { createBilling } from '../../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { type Clock, systemClock } from '../../../../src/foundation/platform/clock.ts';
import { Models } from '../../../../src/foundation/platform/models/index.ts';
import { openStorage, type Storage } from '../../../../src/foundation/storage/index.ts';
import { AudioDecoder, findFfmpeg } from '../../../../src/media/codec/index.ts';
import type { Engine } from '../../../../src/media/engine/index.ts';
import {
  StockVoices,
  VoiceCatalogue,
  type VoiceFitter,
  VoiceStore,
} from '../../../../src/speech/voices/index.ts';
import { sharedEngine } from '../../../media/engine/shared-engine.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { bearer, start } from '../../server/fixtures/start.ts';

const models = new Models();
const missing = ['kokoro', 'piper-joe', 'hibari', 'espeak-ng', 'speaker-vector', 'silero-vad'].filter(
  (id) => !models.status(id).ready,
);

/** It names what is missing, and is undefined where the tests can run. With CI=true the tests fail instead. */
export const absent: string | undefined =
  missing.length === 0 || process.env.CI === 'true'
    ? undefined
    : `models ${missing.join(', ')} are absent: run npm start once`;
if (absent) console.warn(`speak tests are skipped: ${absent}`);

export const SPEECH_FOLDER =
  process.env.TRUNKLINE_SPEECH ??
  join(dirname(fileURLToPath(import.meta.url)), '../../../../../shared/speech');
export const hasRecordings = existsSync(SPEECH_FOLDER);

export class SpeakWorld {
  readonly engine: Engine;
  readonly storage: Storage;
  readonly events: UsageEvent[] = [];
  readonly #billing: Billing;
  readonly #waiting: (() => void)[] = [];

  constructor(engine: Engine, storage: Storage) {
    this.engine = engine;
    this.storage = storage;
    this.#billing = createBilling({
      storage,
      clock: systemClock,
      background: new BackgroundTasks({ clock: systemClock }),
    });
  }

  nextEvent(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  record: Billing['recordUsage'] = async (transaction, event) => {
    await this.#billing.recordUsage(transaction, event);
    this.events.push(event);
    for (const notify of this.#waiting.splice(0)) notify();
  };

  recordServed: Billing['recordServedUsage'] = (event, alongside) =>
    this.storage.transaction(async (transaction) => {
      await alongside?.(transaction);
      await this.record(transaction, event);
    });

  async serve(orgId?: string, { clock = systemClock, fitter }: { clock?: Clock; fitter?: VoiceFitter } = {}) {
    const access = new OneKeyAccess();
    if (orgId) {
      const principal = access.principal.bind(access);
      access.principal = (): Principal => ({ ...principal(), orgId });
    }
    const voices = new VoiceCatalogue(new StockVoices(), new VoiceStore(this.storage, clock));
    const surface = createSpeakSurface({
      engine: this.engine,
      storage: this.storage,
      billing: { recordUsage: this.record, recordServedUsage: this.recordServed },
      voices,
      clock,
      ffmpeg: findFfmpeg(null, models)?.path ?? null,
      ...(fitter ? { fitter } : {}),
      temporary: folder(),
      decoder: new AudioDecoder({ ffmpeg: findFfmpeg(null, models)!.path, temporary: folder(), atOnce: 2 }),
      onError: (error) => {
        throw error;
      },
    });
    const { url, server } = await start({ surfaces: [surface], access });
    return {
      url,
      server,
      voices,
      access,
      speak: (body: object, init: RequestInit = {}) =>
        fetch(`${url}/v1/audio/speech`, {
          method: 'POST',
          headers: { ...bearer, 'content-type': 'application/json' },
          body: JSON.stringify(body),
          ...init,
        }),
      send: (method: string, path: string, body?: object | FormData) =>
        fetch(`${url}${path}`, {
          method,
          headers:
            body instanceof FormData || !body ? bearer : { ...bearer, 'content-type': 'application/json' },
          ...(body ? { body: body instanceof FormData ? body : JSON.stringify(body) } : {}),
        }),
    };
  }
}

let stored: string | undefined;
const folder = (): string => {
  stored ??= mkdtempSync(join(tmpdir(), 'speak-'));
  return stored;
};

/** The tests of a file share a database. */
export function speakWorld(): () => SpeakWorld {
  let world: SpeakWorld;
  beforeAll(async () => {
    const engine = sharedEngine();
    const kinds = await engine.prepared();
    const failed = kinds.find(({ name, readiness }) => name === 'synthesize' && readiness !== 'ready');
    if (failed) throw new Error(failed.problem);
    world = new SpeakWorld(engine, await openStorage({ dataDir: folder() }));
  }, 300_000);
  afterAll(async () => {
    world?.engine.destroy();
    await world?.storage.close();
    rmSync(folder(), { recursive: true, force: true });
    stored = undefined;
  });
  return () => world;
}

export function samplesOf(pcm: ArrayBuffer): Float32Array {
  return Float32Array.from(new Int16Array(pcm, 0, Math.floor(pcm.byteLength / 2)), (value) => value / 32768);
}

/** The time of each step sizes the next window of Piper's audio, whose sums differ in their last bits by window. */
export function isSameSpeech(one: Buffer, other: Buffer): boolean {
  if (one.byteLength !== other.byteLength) return false;
  for (let at = 0; at + 1 < one.byteLength; at += 2)
    if (Math.abs(one.readInt16LE(at) - other.readInt16LE(at)) > 2) return false;
  return true;
}

export const codeOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { error: { code: string } }).error.code;
