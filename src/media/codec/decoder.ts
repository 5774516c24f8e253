/**
 * Decodes untrusted audio in an ffmpeg that has one demuxer, the decoders of five formats and no protocol but the
 * given descriptor. The kernel enforces its limits.
 */

import { ApiError } from '../../foundation/platform/errors.ts';
import { FairSemaphore, TooManyWaitingError } from '../../foundation/platform/fair-semaphore.ts';
import type { DecodingUse } from './decoding-priority.ts';
import { type DecodeOptions, type Decoding, DecodingRun } from './decoding-run.ts';
import { type AudioSource, discardSource, openAudioSource } from './source.ts';

export interface DecoderOptions {
  readonly ffmpeg: string;
  readonly temporary: string;
  /**
   * The number of concurrent programs per use, so that clones, jobs and requests do not wait for each other. Trials
   * have as many of their own.
   */
  readonly atOnce: number;
}

const MOST_WAITING_EACH = 100;
/** A live stream needs a hundredth of a core, so this many need less than one decoder at full speed. */
const LIVE_EACH = 16;
const OURS = { tenant: '', use: 'sync', trial: false } as const;

export class AudioDecoder {
  readonly #options: DecoderOptions;
  readonly #places: Record<'live' | 'trial', Readonly<Record<DecodingUse, FairSemaphore>>>;

  constructor(options: DecoderOptions) {
    this.#options = options;
    const { atOnce } = options;
    const places = () => new FairSemaphore({ permits: atOnce, maxWaitingPerTenant: MOST_WAITING_EACH });
    const live = () => new FairSemaphore({ permits: atOnce * LIVE_EACH, maxWaitingPerTenant: 0 });
    const ofUses = () => ({ sync: places(), jobs: places(), clones: places(), live: live() });
    this.#places = { live: ofUses(), trial: ofUses() };
  }

  /** Resolves with the first samples. Rejects with an ApiError for a source that is no audio. */
  async decode(source: AudioSource, options: DecodeOptions): Promise<Decoding> {
    const leave = await this.#enter(source, options);
    let run: DecodingRun | undefined;
    try {
      options.signal?.throwIfAborted();
      const opened = await openAudioSource(source, this.#options.temporary);
      run = new DecodingRun(opened, options, leave);
      return await run.start(this.#options.ffmpeg);
    } catch (error) {
      await run?.finish();
      if (!run) discardSource(source);
      leave();
      throw error;
    }
  }

  async #enter(source: AudioSource, { priority: turn = OURS, signal }: DecodeOptions): Promise<() => void> {
    try {
      return await this.#places[turn.trial ? 'trial' : 'live'][turn.use].acquire(turn.tenant, signal);
    } catch (error) {
      discardSource(source);
      if (!(error instanceof TooManyWaitingError)) throw error;
      throw new ApiError(
        'capacity',
        'Your organization has reached its limit of recordings queued for decoding. Send the request again after a few seconds.',
        {
          retryAfter: 5,
        },
      );
    }
  }
}
