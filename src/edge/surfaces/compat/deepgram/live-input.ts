import { PassThrough } from 'node:stream';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import {
  type AudioDecoder,
  type DecodingPriority,
  OpusPages,
  sniff,
  wavHeader,
} from '../../../../media/codec/index.ts';
import { containerOf, type LiveEncoding, LiveSound } from './live-sound.ts';

/** `opus` is one bare packet per message; a container declares its own codec. */
export const INPUT_ENCODINGS = ['linear16', 'mulaw', 'alaw', 'opus', 'ogg-opus', 'flac'] as const;
export type InputEncoding = (typeof INPUT_ENCODINGS)[number];

export interface LiveInputSettings {
  readonly encoding: InputEncoding | null;
  readonly channels: number;
  /** Raw audio has this rate when it differs from the lane's. */
  readonly sourceRate?: number;
  readonly rate: number;
  readonly priority: DecodingPriority;
}

export type LiveDecoder = Pick<AudioDecoder, 'decode'>;

const RAW: Readonly<Record<string, LiveEncoding>> = { linear16: 'linear16', mulaw: 'mulaw', alaw: 'alaw' };
const DECODED = new Set(['WebM', 'Ogg', 'FLAC']);
/** The limit is the maximum length of a stream. */
const MOST_SECONDS = 86_400;
/** The backlog of the decoder may reach minutes of coded speech. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
const LEAST_MPEG_BYTES = 2048;

export class LiveInput {
  readonly #decoder: LiveDecoder;
  readonly #settings: LiveInputSettings;
  readonly #pcm: (pcm: Uint8Array) => void;
  readonly #failed: (error: ApiError) => void;
  readonly #aborting = new AbortController();
  #raw: LiveSound | null = null;
  #opus: OpusPages | null = null;
  #live: PassThrough | null = null;
  #decoded: Promise<void> | null = null;
  #isOver = false;

  constructor(
    decoder: LiveDecoder,
    settings: LiveInputSettings,
    pcm: (pcm: Uint8Array) => void,
    failed: (error: ApiError) => void,
  ) {
    this.#decoder = decoder;
    this.#settings = settings;
    this.#pcm = pcm;
    this.#failed = failed;
  }

  take(data: Uint8Array): void {
    if (this.#isOver || data.length === 0) return;
    if (this.#live !== null) this.#feed(this.#live, this.#raw === null ? data : this.#raw.pcmOf(data));
    else if (this.#raw !== null) this.#pcm(this.#raw.pcmOf(data));
    else this.#begin(data);
  }

  /** Calls `then` after the last sample of the accepted audio. */
  finish(then: () => void): void {
    this.#live?.end();
    if (this.#decoded === null) then();
    else
      void this.#decoded.then(() => {
        if (!this.#isOver) then();
      });
  }

  stop(): void {
    this.#isOver = true;
    this.#live?.destroy();
    this.#aborting.abort();
  }

  #begin(data: Uint8Array): void {
    const { encoding, channels } = this.#settings;
    const container = containerOf(data);
    if (container !== null && DECODED.has(container)) this.#decode(data);
    else if (container === 'WAV' && encoding === null) this.#decode(data);
    else if (container === 'MP4') this.#fail(unreadable('MP4'));
    else if (encoding === 'opus') this.#beginPackets(data);
    else if (encoding === null && isMpeg(data)) this.#decode(data);
    else {
      const raw = RAW[encoding ?? 'linear16'];
      if (raw === undefined) this.#fail(mismatched(encoding));
      else {
        // A WAV header that is taken as audio lasts only a millisecond, so it is not removed.
        this.#raw = new LiveSound(raw, channels);
        this.#takeRaw(this.#raw, data);
      }
    }
  }

  /** The decoder resamples raw audio of another rate, which gets a WAV header for that purpose. */
  #takeRaw(raw: LiveSound, data: Uint8Array): void {
    const { rate, sourceRate = rate } = this.#settings;
    if (sourceRate === rate) this.#pcm(raw.pcmOf(data));
    else {
      const header = wavHeader({ sampleRate: sourceRate, channels: 1, sample: 's16' });
      this.#decode(Buffer.concat([header, raw.pcmOf(data)]));
    }
  }

  #beginPackets(packet: Uint8Array): void {
    this.#opus = new OpusPages(this.#settings.channels === 2 ? 2 : 1);
    const page = this.#opus.page(packet);
    if (page === null) this.#fail(noPacket());
    else this.#decode(page);
  }

  #feed(live: PassThrough, data: Uint8Array): void {
    const bytes = this.#opus === null ? Buffer.from(data) : this.#opus.page(data);
    if (bytes === null) this.#fail(noPacket());
    else if (live.readableLength + live.writableLength + bytes.length > MOST_WAITING_BYTES)
      this.#fail(
        new ApiError(
          'payload_too_large',
          `More than ${MOST_WAITING_BYTES} bytes of audio are queued for decoding; send audio in real time.`,
        ),
      );
    else if (live.writable) live.write(bytes);
  }

  #decode(head: Uint8Array): void {
    const live = new PassThrough();
    this.#live = live;
    this.#decoded = this.#run(Buffer.from(head), live).catch((error: unknown) => {
      this.#fail(error instanceof ApiError ? error : internal(error));
    });
  }

  async #run(head: Uint8Array, live: PassThrough): Promise<void> {
    const { rate: sampleRate, priority } = this.#settings;
    const { signal } = this.#aborting;
    const wanted = { sampleRate, channels: 'mix', sample: 's16', maxSeconds: MOST_SECONDS } as const;
    const decoding = await this.#decoder.decode({ head, live }, { ...wanted, priority, signal });
    for await (const pcm of decoding.pcm) if (!this.#isOver) this.#pcm(pcm);
  }

  #fail(error: ApiError): void {
    if (this.#isOver) return;
    this.stop();
    this.#failed(error);
  }
}

function isMpeg(data: Uint8Array): boolean {
  if (data.length < LEAST_MPEG_BYTES) return false;
  const name = sniff(Buffer.from(data.buffer, data.byteOffset, data.byteLength))?.name;
  return name === 'mp3' || name === 'aac';
}

const invalid = (message: string): ApiError => new ApiError('invalid_audio', message);
const unreadable = (container: string): ApiError =>
  invalid(`${container} cannot be read as a stream; send it as a file, or stream WebM.`);
const mismatched = (encoding: string | null): ApiError =>
  invalid(`encoding is ${encoding}, but the stream does not start with the header of this container.`);
const noPacket = (): ApiError => invalid('With encoding=opus, each message must be one Opus packet.');
const internal = (cause: unknown): ApiError =>
  new ApiError('internal_error', 'The audio could not be decoded.', { cause });
