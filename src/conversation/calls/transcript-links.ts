import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../foundation/platform/clock.ts';

const LIFETIME_MS = 15 * 60_000;
export const TRANSCRIPT_PATH = '/public/omni/transcripts';

export interface TranscriptLinksOptions {
  readonly clock: Clock;
  readonly secret: Buffer;
  readonly baseUrl: () => string;
}

/** A signed URL gives access to one transcript for 15 minutes, without a key. */
export class TranscriptLinks {
  readonly #options: TranscriptLinksOptions;

  constructor(options: TranscriptLinksOptions) {
    this.#options = options;
  }

  url(callId: string): string {
    const expires = Math.ceil((this.#options.clock.now() + LIFETIME_MS) / 1000);
    const signature = this.#signatureOf(callId, expires).toString('base64url');
    return `${this.#options.baseUrl()}${TRANSCRIPT_PATH}/${callId}?expires=${expires}&signature=${signature}`;
  }

  isValid(callId: string, expires: number, signature: string): boolean {
    const expected = this.#signatureOf(callId, expires);
    const presented = Buffer.from(signature, 'base64url');
    if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return false;
    return this.#options.clock.now() < expires * 1000;
  }

  #signatureOf(callId: string, expires: number): Buffer {
    return createHmac('sha256', this.#options.secret).update(`transcript ${callId} ${expires}`).digest();
  }
}
