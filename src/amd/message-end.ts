import type { Evidence, MessageEnd } from './contract.ts';

/** Quiet after a machine's words that ends them, where no beep comes. */
const QUIET_MS = 2500;
/** A machine that has not ended after so long is left. */
const PATIENCE_MS = 45_000;
/** A tone is a beep that invites once it has been quiet for so long after it: a voice may hold a pitch too. */
const AFTER_BEEP_MS = 350;

/** Where the words of a machine end, so that a message can be left after them. */
export class MessageEndWatch {
  readonly #sinceMs: number;
  #speaking: boolean;
  #quietSinceMs: number;
  #beepEndMs: number | undefined;

  constructor(sinceMs: number, speaking: boolean, quietSinceMs: number) {
    this.#sinceMs = sinceMs;
    this.#speaking = speaking;
    this.#quietSinceMs = quietSinceMs;
  }

  take(evidence: Evidence): void {
    if (evidence.kind === 'speech') {
      this.#speaking = true;
      this.#beepEndMs = undefined;
    }
    if (evidence.kind === 'quiet') {
      this.#speaking = false;
      this.#quietSinceMs = evidence.fromMs;
    }
    if (evidence.kind === 'tone' && evidence.tone === 'beep') {
      this.#beepEndMs = evidence.toMs;
      this.#speaking = false;
    }
  }

  at(nowMs: number): MessageEnd | undefined {
    const beep = this.#beepEndMs;
    if (beep !== undefined && nowMs - beep >= AFTER_BEEP_MS) return { kind: 'beep', atMs: beep };
    if (!this.#speaking && beep === undefined && nowMs - this.#quietSinceMs >= QUIET_MS) {
      return { kind: 'silence', atMs: nowMs };
    }
    return nowMs - this.#sinceMs >= PATIENCE_MS ? { kind: 'other', atMs: nowMs } : undefined;
  }
}
