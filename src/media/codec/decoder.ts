/**
 * Decodes audio that strangers send, in an ffmpeg that can do nothing else: one demuxer, the decoders of five formats, no
 * protocol but the descriptor it was given, and limits that the kernel holds.
 */

import { ApiError } from '../../foundation/platform/errors.ts';
import { FairSemaphore, TooManyWaitingError } from '../../foundation/platform/fair-semaphore.ts';
import type { DecodingUse } from './decoding-priority.ts';
import { type DecodeOptions, type Decoding, DecodingRun } from './decoding-run.ts';
import { type AudioSource, discardSource, openAudioSource } from './source.ts';

export interface DecoderOptions {
  readonly ffmpeg: string;
  /** Folder for uploads that have to be files while they are read. */
  readonly temporary: string;
  /** Programs at once of each use: clones never wait for jobs, nor a person for either. Trials have as many of their own. */
  readonly atOnce: number;
}

const MOST_WAITING_EACH = 100;
/** A live stream needs a hundredth of a processor: so many of them need less than one that decodes as fast as it can. */
const LIVE_EACH = 16;
/** The priority of the server's own decoding. */
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

  /** Resolves when the first samples are there; rejects with an ApiError for what is no audio. */
  async decode(source: AudioSource, options: DecodeOptions): Promise<Decoding> {
    const leave = await this.#enter(source, options);
    let run: DecodingRun | undefined;
    try {
      options.signal?.throwIfAborted(); // it may have given up while it waited
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
        'Your organization has as many recordings queued for decoding as it may. Send the request again after a few seconds.',
        {
          retryAfter: 5,
        },
      );
    }
  }
}
