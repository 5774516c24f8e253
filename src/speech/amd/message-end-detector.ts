import type { Evidence, MessageEnd } from './contract.ts';

/** A machine's message ends after this quiet where no beep comes. */
const QUIET_MS = 2500;
const TIMEOUT_MS = 45_000;
/** A tone is the beep that invites a message once no speech follows for this time. */
const AFTER_BEEP_MS = 250;
/** Voice activity may report voice up to this long before a beep, and an end this long after it. */
const BLUR_MS = 250;

interface Beep {
  readonly fromMs: number;
  readonly toMs: number;
  readonly inVoice: boolean;
}

export class MessageEndDetector {
  readonly #sinceMs: number;
  #speaking: boolean;
  #speechFromMs: number;
  #quietSinceMs: number;
  #beep: Beep | undefined;

  constructor(sinceMs: number, speaking: boolean, quietSinceMs: number) {
    this.#sinceMs = sinceMs;
    this.#speaking = speaking;
    this.#speechFromMs = sinceMs;
    this.#quietSinceMs = quietSinceMs;
  }

  take(evidence: Evidence): void {
    if (evidence.kind === 'speech') this.#speech(evidence.fromMs);
    if (evidence.kind === 'quiet') this.#quiet(evidence.fromMs);
    if (evidence.kind === 'tone' && evidence.tone === 'beep') {
      const { fromMs, toMs } = evidence;
      const inVoice = this.#speaking && this.#speechFromMs < fromMs - BLUR_MS / 2;
      this.#beep = { fromMs, toMs, inVoice };
      if (!inVoice) this.#speaking = false;
    }
  }

  at(nowMs: number): MessageEnd | undefined {
    const beep = this.#beep;
    if (beep !== undefined && !beep.inVoice && nowMs - beep.toMs >= AFTER_BEEP_MS)
      return { kind: 'beep', atMs: beep.toMs };
    if (!this.#speaking && beep === undefined && nowMs - this.#quietSinceMs >= QUIET_MS) {
      return { kind: 'silence', atMs: nowMs };
    }
    return nowMs - this.#sinceMs >= TIMEOUT_MS ? { kind: 'other', atMs: nowMs } : undefined;
  }

  #speech(fromMs: number): void {
    this.#speaking = true;
    this.#speechFromMs = fromMs;
    if (this.#beep && fromMs > this.#beep.fromMs + BLUR_MS / 2) this.#beep = undefined;
  }

  /** A voice that stops with the beep confirms it; a voice that continues after it makes it no beep. */
  #quiet(fromMs: number): void {
    this.#speaking = false;
    this.#quietSinceMs = fromMs;
    const beep = this.#beep;
    if (beep?.inVoice) this.#beep = fromMs <= beep.toMs + BLUR_MS ? { ...beep, inVoice: false } : undefined;
  }
}
