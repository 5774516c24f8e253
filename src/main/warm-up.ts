import type { ComponentHealth } from '../edge/server/index.ts';
import type { Clock } from '../foundation/platform/clock.ts';
import { PII_ENTITIES, scanForPii } from '../language/pii/index.ts';
import {
  type Engine,
  OmniVerb,
  omniLane,
  packOptions,
  SPEECH_LANGUAGES,
  synthesizeJob,
} from '../media/engine/index.ts';
import { type StockVoices, stockVoice } from '../speech/voices/index.ts';

/**
 * Readiness waits no longer than this. Calls do the remaining warm-up themselves, so that none of it runs beside
 * them.
 */
const MAX_WAIT_MS = 1_000;
const SPEECH = 1;
const RATE = 16_000;
const TEXT = 'Hello.';

export interface WarmUpOptions {
  readonly engine: Engine;
  readonly voices: StockVoices;
  readonly clock: Clock;
}

/**
 * Runs what the first call would otherwise pay for: reading models from disk, growing the runtime's memory, starting
 * threads. Until then, for at most MAX_WAIT_MS, the server is not ready.
 */
export class WarmUp {
  readonly #options: WarmUpOptions;
  #isOver = false;

  constructor(options: WarmUpOptions) {
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  parts(): ComponentHealth[] {
    return [{ name: 'warm-up', ready: this.#isOver, opening: !this.#isOver, required: true }];
  }

  async run(): Promise<void> {
    const { engine, voices, clock } = this.#options;
    // The first scan compiles its patterns, for a tenth of a second on the event loop.
    scanForPii(TEXT, PII_ENTITIES);
    await engine.prepared();
    const late = new AbortController();
    const stop = clock.after(MAX_WAIT_MS, () => {
      this.#isOver = true;
      late.abort();
    });
    // Languages without calls are opened by their first text: the tables of Chinese and Japanese words take 40 MB.
    const others = SPEECH_LANGUAGES.flatMap((language) => voices.defaultFor(language) ?? []).filter((voice) =>
      voice.available_on.includes('omni'),
    );
    try {
      await this.#talk();
      for (const voice of new Set(others)) {
        if (voice === voices.default || late.signal.aborted) continue;
        const options = { voice: stockVoice(voice).engine, rate: RATE, format: 'pcm16' } as const;
        await engine.submit(synthesizeJob, options, Buffer.from(TEXT), late.signal, 'trial').result();
      }
    } catch {
      // A part of the engine that cannot work reports why itself.
    } finally {
      stop();
      this.#isOver = true;
    }
  }

  async #talk(): Promise<void> {
    const { engine, voices, clock } = this.#options;
    const voice = stockVoice(voices.default).engine;
    await new Promise<void>((resolve, reject) => {
      const lane = engine.open(
        omniLane,
        { rate: RATE, language: 'en', voice, endpointingMs: 500, barge: 'normal' },
        {
          audio: () => undefined,
          event: ({ kind }) => {
            if (kind === 'playing' || kind === 'speech_failed') end();
          },
          closed: () => resolve(),
        },
        'trial',
      );
      const stop = clock.after(MAX_WAIT_MS, () => end());
      const end = () => {
        stop();
        lane.drop();
        resolve();
      };
      try {
        const order = { speech: SPEECH, segment: 0, held: false, yields: false, text: TEXT };
        lane.control(OmniVerb.speak, packOptions(order));
        const body = new Uint8Array(4);
        new DataView(body.buffer).setUint32(0, SPEECH, true);
        lane.control(OmniVerb.finish, body);
      } catch (error) {
        end();
        reject(error as Error);
      }
    });
  }
}
