import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createEncoder } from 'wasm-media-encoders';
import { floatSamples } from '../engine/index.ts';

export interface Mp3Options {
  readonly sampleRate: 8000 | 16000 | 22050 | 24000 | 32000 | 44100 | 48000;
  readonly channels?: 1 | 2;
  readonly kilobits?: 32 | 48 | 64 | 96 | 128 | 160 | 192;
}

type LameEncoder = Awaited<ReturnType<typeof createEncoder<'audio/mpeg'>>>;

type Wasm = Parameters<typeof createEncoder>[1];

let program: Promise<Wasm> | undefined;

function load(): Promise<Wasm> {
  program ??= readFile(createRequire(import.meta.url).resolve('wasm-media-encoders/wasm/mp3'));
  return program;
}

export class Mp3Encoder {
  readonly #encoder: LameEncoder;
  readonly #channels: number;

  private constructor(encoder: LameEncoder, channels: number) {
    this.#encoder = encoder;
    this.#channels = channels;
  }

  static async create(options: Mp3Options): Promise<Mp3Encoder> {
    const encoder = await createEncoder('audio/mpeg', await load(), (compiled) => {
      program = Promise.resolve(compiled);
    });
    const channels = options.channels ?? 1;
    const { sampleRate, kilobits: bitrate = 64 } = options;
    // Without an output rate, LAME would lower the rate at low bitrates.
    encoder.configure({ sampleRate, outputSampleRate: sampleRate, channels, bitrate });
    return new Mp3Encoder(encoder, channels);
  }

  /** The samples are PCM16; channels are interleaved. */
  encode(pcm: Uint8Array): Buffer {
    const channels = this.#channels;
    const planes = Array.from({ length: channels }, (_, channel) => floatSamples({ pcm, channels, channel }));
    return Buffer.from(this.#encoder.encode(planes)); // a copy, because the encoder reuses its buffer
  }

  finish(): Buffer {
    return Buffer.from(this.#encoder.finalize());
  }
}
