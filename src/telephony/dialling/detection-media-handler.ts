import type { Principal } from '../../foundation/access/contract.ts';
import {
  type AnswerVerdict,
  detectInCall,
  type FollowedAnswer,
  type InCallDeps,
  type InCallDetection,
  type MessageEnd,
} from '../../speech/amd/index.ts';
import type { MediaLeg } from '../carriers/index.ts';
import type { CallMedia, MediaHandler } from './call-media.ts';

export interface DetectionOrder {
  readonly principal: Principal;
  readonly called: string;
  readonly callId: string;
  readonly partOf: string;
  /** `follow` goes on after the verdict, by `goOn`. Only `message_end` leaves messages. */
  readonly mode?: 'follow' | 'message_end';
  readonly language?: string | undefined;
  readonly aggressiveness?: number | undefined;
  readonly answered: (verdict: AnswerVerdict) => void;
  readonly changed?: (to: FollowedAnswer) => void;
  readonly messageEnd: (end: MessageEnd) => void;
  readonly failed: (error: unknown) => void;
}

const MOST_WAITING = 150;

export class DetectionMediaHandler implements MediaHandler {
  readonly #deps: InCallDeps;
  readonly #order: DetectionOrder;
  readonly #waiting: Uint8Array[] = [];
  #detection: InCallDetection | null = null;
  #left = false;
  #goesOn = false;

  constructor(deps: InCallDeps, order: DetectionOrder) {
    this.#deps = deps;
    this.#order = order;
  }

  enter(_leg: MediaLeg): void {
    this.#begin().catch((error: unknown) => this.#order.failed(error));
  }

  audio(frames: Uint8Array): void {
    if (!this.#goesOn) this.#push(frames);
  }

  /** Continues the detection while another handler has the line. Returns the function that ends it. */
  goOn(media: Pick<CallMedia, 'join'>): () => void {
    this.#goesOn = true;
    const hears = (side: string, frames: Uint8Array) => {
      if (side === 'caller') this.#push(frames);
    };
    const seat = media.join({ hear: () => undefined }, 'nobody', hears);
    return () => {
      seat.leave();
      this.#detection?.end();
    };
  }

  #push(frames: Uint8Array): void {
    if (this.#detection !== null) this.#detection.push(frames);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(frames.slice());
  }

  key(): void {}

  leave(): void {
    if (this.#goesOn) return;
    this.#left = true;
    this.#detection?.end();
  }

  async #begin(): Promise<void> {
    const {
      principal,
      called,
      callId,
      partOf,
      language,
      aggressiveness,
      answered,
      messageEnd,
      changed,
      mode = 'message_end',
    } = this.#order;
    const call = {
      principal,
      codec: 'ulaw' as const,
      called,
      externalId: null,
      callSid: callId,
      partOf,
      mode,
      ...(language === undefined ? {} : { language }),
      ...(aggressiveness === undefined ? {} : { tunables: { aggressiveness } }),
    };
    const detection = await detectInCall(this.#deps, call, {
      answered: (verdict) => this.#left || answered(verdict),
      messageEnd: (end) => this.#left || messageEnd(end),
      holdBegan: () => changed?.('hold'),
      holdEnd: (_atMs, by) => changed?.(by),
      changed: (to) => changed?.(to),
    });
    this.#detection = detection;
    for (const frames of this.#waiting.splice(0)) detection.push(frames);
    if (this.#left) detection.end();
  }
}
