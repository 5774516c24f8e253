/**
 * Decodes audio that strangers send, in an ffmpeg that can do nothing else: one demuxer, the decoders of five formats, no
 * protocol but the descriptor it was given, and limits that the kernel holds.
 */
import { type DecodeOptions, type Decoding, DecodingRun } from './decoding-run.ts';
import { Gate } from './gate.ts';
import { type AudioSource, abandon, openSource } from './source.ts';

export interface DecoderOptions {
  readonly ffmpeg: string;
  /** Folder for uploads that have to be files while they are read. */
  readonly temporary: string;
  /** Programs at once. */
  readonly atOnce: number;
}

export class AudioDecoder {
  readonly #options: DecoderOptions;
  readonly #gate: Gate;

  constructor(options: DecoderOptions) {
    this.#options = options;
    this.#gate = new Gate(options.atOnce);
  }

  /** Resolves when the first samples are there; rejects with an ApiError for what is no audio. */
  async decode(source: AudioSource, options: DecodeOptions): Promise<Decoding> {
    const leave = await this.#gate.enter();
    let run: DecodingRun | undefined;
    try {
      options.signal?.throwIfAborted(); // it may have given up while it waited
      const opened = await openSource(source, this.#options.temporary);
      run = new DecodingRun(opened, options, leave);
      return await run.start(this.#options.ffmpeg);
    } catch (error) {
      await run?.finish();
      if (!run) abandon(source);
      leave();
      throw error;
    }
  }
}
