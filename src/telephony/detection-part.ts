import type { Principal } from '../access/contract.ts';
import {
  detectInCall,
  type InCallDeps,
  type InCallDetection,
  type MessageEnd,
  type Verdict,
} from '../amd/index.ts';
import type { MediaLeg } from '../carriers/index.ts';
import type { Part } from './line.ts';

export interface DetectionOrder {
  readonly principal: Principal;
  readonly called: string;
  readonly callId: string;
  readonly language?: string | undefined;
  readonly answered: (verdict: Verdict) => void;
  /** Where a message can be left. */
  readonly messageEnd: (end: MessageEnd) => void;
  /** Nobody can tell: no lane is free, or the engine failed. */
  readonly failed: (error: unknown) => void;
}

/** What comes before the detector is there. */
const MOST_WAITING = 150;

/** Listens who or what has answered, and keeps the line until somebody else takes it. */
export class DetectionPart implements Part {
  readonly #deps: InCallDeps;
  readonly #order: DetectionOrder;
  readonly #waiting: Uint8Array[] = [];
  #detection: InCallDetection | null = null;
  #left = false;

  constructor(deps: InCallDeps, order: DetectionOrder) {
    this.#deps = deps;
    this.#order = order;
  }

  enter(_leg: MediaLeg): void {
    this.#begin().catch((error: unknown) => this.#order.failed(error));
  }

  audio(frames: Uint8Array): void {
    if (this.#detection !== null) this.#detection.push(frames);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(frames.slice());
  }

  key(): void {}

  leave(): void {
    this.#left = true;
    this.#detection?.end();
  }

  async #begin(): Promise<void> {
    const { principal, called, callId, language, answered, messageEnd } = this.#order;
    const call = {
      principal,
      codec: 'ulaw' as const,
      called,
      externalId: null,
      callSid: callId,
      mode: 'message_end' as const,
      ...(language === undefined ? {} : { language }),
    };
    const detection = await detectInCall(this.#deps, call, {
      answered: (verdict) => this.#left || answered(verdict),
      messageEnd: (end) => this.#left || messageEnd(end),
    });
    this.#detection = detection;
    for (const frames of this.#waiting.splice(0)) detection.push(frames);
    if (this.#left) detection.end();
  }
}
