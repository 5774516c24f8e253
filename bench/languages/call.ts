/**
 * One side of a call: recordings go into a lane of Omni as fast as it accepts them, and the call follows the caller's
 * language.
 */
import { FRAME_SAMPLES, LINE_RATE, pause } from '../../src/apps/caller/index.ts';
import { CallerLanguage, type LanguageDecision } from '../../src/conversation/calls/caller-language.ts';
import type { ServedLanguage } from '../../src/conversation/calls/index.ts';
import {
  type Engine,
  type Lane,
  type OmniEvent,
  OmniVerb,
  omniLane,
  packOptions,
} from '../../src/media/engine/index.ts';
import { stockVoice } from '../../src/speech/voices/catalogue.ts';
import { StockVoices } from '../../src/speech/voices/stock.ts';

export type Utterance = Extract<OmniEvent, { text: string; startMs: number }>;

export interface Judged {
  readonly utterance: Utterance;
  readonly current: ServedLanguage;
  readonly decision: LanguageDecision | null;
}

/** The pause ends an utterance with any endpointer setting. */
const GAP_S = 1.6;
const SETTLED_MS = 150;
const LOST_MS = 4_000;
const FULL_MS = 10;

export class FollowedCall {
  readonly heard: Judged[] = [];
  readonly #languages: readonly ServedLanguage[];
  readonly #lane: Lane<OmniEvent>;
  readonly #caller: CallerLanguage;
  current: ServedLanguage;
  #begun = 0;
  #ended = 0;
  #newestAt = 0;

  constructor(engine: Engine, languages: readonly ServedLanguage[], language: ServedLanguage) {
    const stock = new StockVoices();
    this.#languages = languages;
    this.#caller = new CallerLanguage(() => languages);
    this.current = language;
    this.#lane = engine.open(
      omniLane,
      {
        rate: LINE_RATE,
        language,
        languages,
        voice: stockVoice(stock.resolve('heart_en_us')).engine,
        endpointingMs: 500,
        barge: 'normal',
      },
      { audio: () => {}, event: (event) => this.#onEvent(event), closed: () => {} },
      'live',
    );
  }

  async say(samples: Int16Array): Promise<void> {
    const whole = new Int16Array(samples.length + GAP_S * LINE_RATE);
    whole.set(samples);
    for (let at = 0; at + FRAME_SAMPLES <= whole.length; at += FRAME_SAMPLES) {
      const bytes = new Uint8Array(whole.slice(at, at + FRAME_SAMPLES).buffer);
      while (this.#lane.push(bytes) === 'full') await pause(FULL_MS);
      if (at % (FRAME_SAMPLES * 25) === 0) await pause(0);
    }
    this.#newestAt = performance.now();
    while (!this.#settled) await pause(FULL_MS);
  }

  close(): void {
    this.#lane.drop();
  }

  /** A part of a long utterance has no final of its own. */
  get #settled(): boolean {
    const quietMs = performance.now() - this.#newestAt;
    return quietMs > (this.#ended >= this.#begun ? SETTLED_MS : LOST_MS);
  }

  #onEvent(event: OmniEvent): void {
    this.#newestAt = performance.now();
    if (event.kind === 'speech_start') this.#begun++;
    if (event.kind !== 'final' && event.kind !== 'backchannel' && event.kind !== 'lost') return;
    this.#ended = event.utterance === 0 ? this.#begun : event.utterance;
    if (event.kind !== 'final' || event.text === '') return;
    const { current } = this;
    const decision = this.#caller.heard(event, current);
    this.heard.push({ utterance: event, current, decision });
    if (decision === null) return;
    this.current = decision.to;
    const languages = [...this.#languages];
    this.#lane.control(OmniVerb.language, packOptions({ language: decision.to, languages }));
  }
}
