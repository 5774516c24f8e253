import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import type { Brain } from '../../../../src/conversation/brains/index.ts';
import {
  type AgentServices,
  CallCheckpoints,
  type CallGuards,
  CallStore,
  createCallMetrics,
  createVoiceEngine,
  SessionInputs,
  SupervisableCalls,
  TranscriptLinks,
  TranscriptOffload,
  transcriptSweep,
  type VoiceLaneOptions,
} from '../../../../src/conversation/calls/index.ts';
import { createResponder } from '../../../../src/conversation/responder/index.ts';
import type { Surface } from '../../../../src/edge/server/surface.ts';
import { createOmniSurface } from '../../../../src/edge/surfaces/omni/index.ts';
import {
  createSupervisionSurface,
  omniSupervision,
} from '../../../../src/edge/surfaces/supervision/index.ts';
import { DEFAULT_RETENTION, Sealer } from '../../../../src/foundation/access/index.ts';
import { createBilling } from '../../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { type Clock, systemClock } from '../../../../src/foundation/platform/clock.ts';
import { createLog } from '../../../../src/foundation/platform/log.ts';
import { createMetrics } from '../../../../src/foundation/platform/metrics.ts';
import { Models } from '../../../../src/foundation/platform/models/index.ts';
import { UrlGate } from '../../../../src/foundation/platform/url-gate/index.ts';
import { openStorage, type Storage } from '../../../../src/foundation/storage/index.ts';
import { webhookSignature } from '../../../../src/foundation/webhooks/index.ts';
import {
  type BargeSensitivity,
  type Engine,
  type EngineOptions,
  LaneQueue,
} from '../../../../src/media/engine/index.ts';
import { recordingSweep } from '../../../../src/media/recordings/index.ts';
import type { RecognitionProviders, SpeechProviders } from '../../../../src/speech/providers/index.ts';
import {
  callVoices,
  type ProjectPronunciation,
  type ResolveVoice,
  StockVoices,
  stockVoice,
} from '../../../../src/speech/voices/index.ts';
import { DenoisedAudio, Supervisors } from '../../../../src/telephony/dialling/index.ts';
import type { WebRtcService } from '../../../../src/telephony/webrtc/index.ts';
import { afterEach } from '../../../helper-hooks.ts';
import { engineWith, ownEngine } from '../../../media/engine/engine-with.ts';
import { blobsIn, recordingsIn } from '../../../media/recordings/opened.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { start } from '../../server/fixtures/start.ts';

const models = new Models();
const needed = [
  'silero-vad',
  'smart-turn',
  'whisper-base',
  'moonshine-tiny-en',
  'listening',
  'kokoro',
  'hibari',
  'piper-joe',
  'espeak-ng',
];
const missing = needed.filter((id) => !models.status(id).ready);
/** It names what is missing, and is empty when the tests can run. CI fails instead. */
export const absent = missing.join(', ');
if (absent && process.env.CI === 'true') throw new Error(`absent: ${absent}`);
if (absent) console.warn(`the tests of live calls are skipped, for want of ${absent}`);

/** The fastest voice is enough: these tests cover the call. */
export const VOICE = 'joe_en_us';
export const SIGNING_SECRET = 'whsec_of_the_tests';

const storages: Storage[] = [];
/** Holds the id of an ended call once for each time that something ended it. */
const endings: string[] = [];
afterEach(async () => {
  for (const storage of storages.splice(0)) await storage.close();
  const ended = endings.splice(0);
  expect(ended, 'a call ends once, whatever ends it').toEqual([...new Set(ended)]);
});

/** The store refuses to overwrite a record; this class counts the attempts. */
class CountedCalls extends CallStore {
  override async close(...ended: Parameters<CallStore['close']>): Promise<boolean> {
    const wrote = await super.close(...ended);
    endings.push(ended[0]);
    return wrote;
  }
}

export interface OmniServerOptions {
  readonly engine?: EngineOptions;
  readonly brain?: Brain;
  readonly access?: OneKeyAccess;
  readonly clock?: Clock;
  readonly listenerClock?: Clock;
  readonly bargeSensitivity?: BargeSensitivity;
  readonly voices?: (storage: Storage, engine: Engine) => ResolveVoice;
  readonly dataDir?: string;
  readonly agents?: (storage: Storage) => AgentServices;
  readonly pronunciations?: readonly ProjectPronunciation[];
  readonly guards?: (storage: Storage) => CallGuards;
  readonly ownEngine?: boolean;
  readonly providers?: SpeechProviders;
  readonly recognition?: RecognitionProviders;
  readonly modelsSpeak?: boolean;
  readonly resumable?: boolean;
  readonly sessionInputs?: 'whole' | 'redacted';
  readonly betterNode?: () => string | null;
  readonly webrtc?: (engine: Engine) => WebRtcService;
  readonly otherSurfaces?: readonly Surface[];
}

export async function openOmni(options: OmniServerOptions = {}) {
  const clock = options.clock ?? systemClock;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'omni-'));
  const storage = await openStorage({ dataDir, clock });
  storages.push(storage);
  const stock = new StockVoices();
  const access = options.access ?? new OneKeyAccess();
  const blobs = blobsIn(storage, clock, dataDir);
  const sealer = new Sealer(Buffer.alloc(32, 1), 'call checkpoints');
  const checkpoints = options.resumable ? new CallCheckpoints({ storage, clock, sealer }) : undefined;
  const stored = checkpoints === undefined ? {} : { checkpoints };
  const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
  const calls = new CountedCalls({
    storage,
    blobs,
    billing,
    clock,
    background: new BackgroundTasks({ clock }),
    ...stored,
  });
  const engine = options.ownEngine ? ownEngine(options.engine) : engineWith(options.engine);
  await engine.prepared();
  const { providers, recognition, modelsSpeak = false, betterNode = () => null } = options;
  const voices = createVoiceEngine(new LaneQueue({ engine, clock, waitMs: 0, betterNode }), {
    clock,
    modelsSpeak,
    ...(providers === undefined ? {} : { providers }),
    ...(recognition === undefined ? {} : { recognition }),
  });
  const lanes: VoiceLaneOptions[] = [];
  const spoken: string[] = [];
  const metrics = createMetrics();
  const recordings = recordingsIn(storage, clock, dataDir);
  const retention = async () => DEFAULT_RETENTION;
  const supervisable = new SupervisableCalls();
  const supervised = omniSupervision(clock);
  const supervision = createSupervisionSurface({
    omni: {
      log: createLog({ level: 'silent' }),
      supervisors: new Supervisors({
        storage,
        clock,
        actions: 'omni.call',
        denoise: (...wishes) => DenoisedAudio.open(engine, ...wishes),
      }),
      calls: {
        find: async (scope, id) => {
          const call = supervisable.find(scope, id);
          return call === null ? null : { call: supervised(call), node: async () => null };
        },
      },
    },
    telephony: null,
  });
  const surface = createOmniSurface({
    supervisable,
    recordings,
    recordingSweep: recordingSweep(
      { storage, clock, background: new BackgroundTasks({ clock }), retention },
      recordings,
    ),
    metrics: createCallMetrics(metrics),
    access,
    clock,
    calls,
    ...stored,
    ...(options.sessionInputs === undefined
      ? {}
      : {
          sessionInputs: new SessionInputs({
            storage,
            blobs,
            redacts: async () => options.sessionInputs === 'redacted',
            onError: (error) => expect.fail(String(error)),
          }),
        }),
    blobs,
    transcripts: transcriptSweep({
      storage,
      blobs,
      clock,
      background: new BackgroundTasks({ clock }),
      retention,
    }),
    transcriptLinks: new TranscriptLinks({ clock, secret: Buffer.alloc(32, 1), baseUrl: () => '' }),
    transcriptOffload: new TranscriptOffload({
      storage,
      blobs,
      clock,
      background: new BackgroundTasks({ clock }),
      retention,
      inlineBytes: 262_144,
    }),
    log: createLog({ level: 'silent' }),
    engine: {
      openLane: async (options) => {
        lanes.push(options);
        const lane = await voices.openLane(options);
        const speak = lane.speak.bind(lane);
        lane.speak = (speech, segment, text, how) => {
          spoken.push(text);
          speak(speech, segment, text, how);
        };
        return lane;
      },
    },
    brain: options.brain ?? createResponder(),
    voices: callVoices(
      stock,
      options.voices?.(storage, engine) ??
        (async (_orgId, name) => stockVoice(stock.resolve(name ?? stock.default.id))),
    ),
    gate: new UrlGate({ allowLoopback: true, clock }),
    sign: async (_scope, body) => ({
      'x-svc-signature': webhookSignature(SIGNING_SECRET, body, Math.floor(clock.now() / 1000)),
    }),
    bargeSensitivity: options.bargeSensitivity ?? 'normal',
    ...(options.pronunciations === undefined
      ? {}
      : { pronunciations: async () => options.pronunciations ?? [] }),
    ...(options.webrtc === undefined ? {} : { webrtc: options.webrtc(engine) }),
    ...(options.guards === undefined ? {} : { guards: options.guards(storage) }),
    ...(options.agents === undefined ? {} : { agents: options.agents(storage) }),
  });
  const { listenerClock: listener } = options;
  const { url, server } = await start({
    access,
    surfaces: [surface, supervision, ...(options.otherSurfaces ?? [])],
    ...(listener && { clock: listener }),
  });
  const billed = async (): Promise<number[]> => {
    const rows = await storage.db.selectFrom('usage_events').select('milliseconds').execute();
    return rows.map((row) => Number(row.milliseconds));
  };
  return {
    url,
    server,
    access,
    recordings,
    dataDir,
    blobs,
    calls,
    billed,
    storage,
    engine,
    lanes,
    spoken,
    metrics,
  };
}

type Control = { event: string } & Record<string, unknown>;

export class Client {
  readonly socket: WebSocket;
  readonly controls: Control[] = [];
  readonly transcripts: { role: string; turn_id: number; text: string; final: boolean }[] = [];
  audioBytes = 0;
  readonly audio: Buffer[] = [];
  readonly audioFrames = new Set<number>();
  closeCode: number | null = null;
  #changed: (() => void)[] = [];
  readonly #bytesOfAMs: number;

  constructor(url: string, query = 'format=pcm16&rate=8000', key: string = OneKeyAccess.KEY) {
    this.#bytesOfAMs = (2 * Number(new URLSearchParams(query).get('rate') ?? 8_000)) / 1_000;
    this.socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/omni?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    this.socket.on('message', (data: Buffer) => this.#take(data));
    this.socket.on('close', (code) => {
      this.closeCode = code;
      this.#notify();
    });
  }

  async opened(): Promise<this> {
    await once(this.socket, 'open');
    return this;
  }

  control(message: unknown): void {
    this.socket.send(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify(message))]));
  }

  async configure(message: Record<string, unknown> = {}): Promise<Control> {
    this.control({ type: 'configure', voice_id: VOICE, ...message });
    return await this.event('configured');
  }

  /** Sends PCM16 at the call's rate in real time: 20 ms every 20 ms. */
  async speak(pcm: Buffer, enough: () => boolean = () => false): Promise<void> {
    const began = performance.now();
    const bytes = 20 * this.#bytesOfAMs;
    for (let at = 0; at < pcm.length && this.closeCode === null && !enough(); at += bytes) {
      const wait = began + at / this.#bytesOfAMs - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      this.socket.send(Buffer.concat([Buffer.of(1), pcm.subarray(at, at + bytes)]));
    }
  }

  silence = (seconds: number): Promise<void> => this.speak(this.#silence(seconds));

  /** Sends silence until `done`; a call in which that takes half a minute has failed. */
  silenceUntil = async (done: () => boolean): Promise<void> => {
    await this.speak(this.#silence(30), done);
    if (done()) return;
    const ended = this.closeCode === null ? 'goes on' : `closed with ${this.closeCode}`;
    throw new Error(`the call ${ended} without what the test waits for: ${JSON.stringify(this.controls)}`);
  };

  has = (name: string): boolean => this.controls.some(({ event }) => event === name);

  event = async (name: string): Promise<Control> =>
    await this.until(() => this.controls.find(({ event }) => event === name));

  /** Resolves with the first result of `look`; a connection that closes without one is an error. */
  async until<T>(look: () => T | undefined | null | false): Promise<T> {
    for (;;) {
      const found = look();
      if (found) return found;
      if (this.closeCode !== null)
        throw new Error(`closed with ${this.closeCode}: ${JSON.stringify(this.controls)}`);
      await new Promise<void>((resolve) => this.#changed.push(resolve));
    }
  }

  closed = async (): Promise<number> => await this.until(() => this.closeCode);

  #silence = (seconds: number): Buffer => Buffer.alloc(2 * Math.round(seconds * 500 * this.#bytesOfAMs));

  #take(data: Buffer): void {
    const body = data.subarray(1);
    if (data[0] === 1) {
      this.audioBytes += body.length;
      this.audio.push(body);
      this.audioFrames.add(body.length);
    }
    if (data[0] === 2) this.transcripts.push(JSON.parse(body.toString()));
    if (data[0] === 3) this.controls.push(JSON.parse(body.toString()));
    this.#notify();
  }

  #notify(): void {
    for (const wake of this.#changed.splice(0)) wake();
  }
}
