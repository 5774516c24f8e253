/**
 * Decodes audio that strangers send, in an ffmpeg that can do nothing else: one demuxer, the decoders of five formats, no
 * protocol but the descriptor it was given, and limits that the kernel holds.
 */
import type { Container } from './container.ts';
import { DecodingRun } from './decoding-run.ts';
import { Gate } from './gate.ts';
import { type AudioSource, abandon, openSource } from './source.ts';
import type { PcmFormat } from './wav-header.ts';

export interface DecodeOptions {
  /** Samples a second that come out. */
  readonly sampleRate: number;
  /** `mix`: one channel; `keep`: one or two, as the file has them; a number: that one of the two alone. */
  readonly channels: 'mix' | 'keep' | 0 | 1;
  readonly sample: 's16' | 'f32';
  /** Longer audio is refused with payload_too_large, as soon as that is seen. */
  readonly maxSeconds: number;
  /** A file with more is refused; otherwise they are mixed. */
  readonly maxChannels?: number;
  readonly signal?: AbortSignal;
}

export interface Decoding {
  readonly container: Container['name'];
  readonly format: PcmFormat;
  /** Little-endian samples, channels interleaved, in whole frames. Ends with an ApiError where the file does.
   * It holds a program and a place in the queue until it has been read to its end or `return` was called. */
  readonly pcm: AsyncIterableIterator<Buffer, void> & { return(): Promise<IteratorResult<Buffer, void>> };
}

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
