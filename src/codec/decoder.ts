/**
 * Decodes audio that strangers send, in an ffmpeg that can do nothing else: one demuxer, the decoders of five formats, no
 * protocol but the descriptor it was given, and limits that the kernel holds.
 */
import { ApiError } from '../platform/errors.ts';
import type { Container } from './container.ts';
import { Gate } from './gate.ts';
import { type LimitedProcess, startLimited } from './limited-process.ts';
import { type AudioSource, type Opened, openSource } from './source.ts';
import { bytesPerFrame, type PcmFormat, readWavHeader } from './wav-header.ts';

export interface DecodeOptions {
  /** Samples a second that come out. */
  readonly sampleRate: number;
  /** `mix`: one channel; `keep`: one or two, as the file has them. */
  readonly channels: 'mix' | 'keep';
  readonly sample: 's16' | 'f32';
  /** Longer audio is refused with payload_too_large, as soon as that is seen. */
  readonly maxSeconds: number;
  readonly signal?: AbortSignal;
}

export interface Decoding {
  readonly container: Container['name'];
  readonly format: PcmFormat;
  /** Little-endian samples, channels interleaved, in whole frames. Ends with an ApiError where the file does. */
  readonly pcm: AsyncGenerator<Buffer, void>;
}

export interface DecoderOptions {
  readonly ffmpeg: string;
  /** Folder for uploads that have to be files while they are read. */
  readonly temporary: string;
  /** Programs at once. */
  readonly atOnce: number;
}

const DECODERS = [
  ...[
    'pcm_u8',
    'pcm_s16le',
    'pcm_s16be',
    'pcm_s24le',
    'pcm_s24be',
    'pcm_s32le',
    'pcm_s32be',
    'pcm_f32le',
    'pcm_f64le',
  ],
  ...[
    'pcm_alaw',
    'pcm_mulaw',
    'adpcm_ms',
    'adpcm_ima_wav',
    'mp3float',
    'mp2float',
    'mp1float',
    'aac',
    'alac',
    'flac',
  ],
  ...['vorbis', 'libvorbis', 'opus', 'libopus'],
].join(',');
const MEMORY_KILOBYTES = 80 * 1024;
/** A bomb costs at most this much CPU before its first sample, or between samples. */
const CPU_SECONDS = 10;
/** Slowest format here decodes at over 100 times real time. */
const AUDIO_SECONDS_PER_CPU_SECOND = 50;
/** A file may end this much before what its header declares: encoders round, and pad. */
const MISSING_SECONDS = 1;
const MISSING_SHARE = 0.02;

export class AudioDecoder {
  readonly #options: DecoderOptions;
  readonly #gate: Gate;

  constructor(options: DecoderOptions) {
    this.#options = options;
    this.#gate = new Gate(options.atOnce);
  }

  /** Resolves when the first samples are there; rejects with an ApiError for what is no audio. */
  async decode(source: AudioSource, options: DecodeOptions): Promise<Decoding> {
    options.signal?.throwIfAborted();
    const leave = await this.#gate.enter();
    let run: Run | undefined;
    try {
      const opened = await openSource(source, this.#options.temporary);
      run = new Run(opened, options, leave);
      return await run.start(this.#options.ffmpeg);
    } catch (error) {
      await run?.finish();
      leave();
      throw error;
    }
  }
}

/** One file being decoded. */
class Run {
  readonly #opened: Opened;
  readonly #options: DecodeOptions;
  readonly #leave: () => void;
  readonly #abort = () => this.#process?.kill();
  #process: LimitedProcess | undefined;
  #sourceError: unknown;
  #feeding: Promise<void> | undefined;
  #finished = false;

  constructor(opened: Opened, options: DecodeOptions, leave: () => void) {
    this.#opened = opened;
    this.#options = options;
    this.#leave = leave;
  }

  async start(ffmpeg: string): Promise<Decoding> {
    const { container } = this.#opened;
    if (!container)
      throw new ApiError(
        'invalid_audio',
        'The file is not audio: expected wav, mp3, m4a, flac or ogg.',
        FILE,
      );
    const cpuSeconds = CPU_SECONDS + this.#options.maxSeconds / AUDIO_SECONDS_PER_CPU_SECOND;
    const limits = { cpuSeconds, memoryKilobytes: MEMORY_KILOBYTES };
    const args = argumentsFor(container, this.#opened.file !== undefined, this.#options);
    this.#process = startLimited(ffmpeg, args, limits, this.#opened.file?.fd ?? 'pipe');
    this.#process.ended.catch(() => {}); // told by #end
    this.#options.signal?.addEventListener('abort', this.#abort);
    this.#feed();
    const { format, rest, iterator } = await this.#header(container);
    return { container: container.name, format, pcm: this.#pcm(container, format, rest, iterator) };
  }

  /** Everything that was opened is given back, once. */
  async finish(): Promise<void> {
    if (this.#finished) return;
    this.#finished = true;
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#process?.kill();
    await this.#opened.close();
    await this.#process?.ended.catch(() => {});
    await this.#feeding;
    this.#leave();
  }

  #feed(): void {
    const { stream } = this.#opened;
    const stdin = this.#process?.stdin;
    if (!stream || !stdin) return;
    this.#feeding = new Promise((resolve) => {
      stream.on('error', (error) => {
        this.#sourceError = error;
        this.#process?.kill();
      });
      stream.on('close', () => resolve());
      stdin.on('close', () => stream.destroy());
      stream.pipe(stdin);
    });
  }

  /** Reads until the format is known, which is when the first samples have been decoded. */
  async #header(container: Container) {
    const iterator = this.#process!.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    let bytes: Buffer = Buffer.alloc(0);
    for (;;) {
      const { value, done } = await iterator.next();
      if (done) break;
      bytes = bytes.length === 0 ? value : Buffer.concat([bytes, value]);
      const header = readWavHeader(bytes);
      if (header) return { format: header.format, rest: bytes.subarray(header.audioAt), iterator };
    }
    await this.#end(container, 0);
    throw damaged(container);
  }

  async *#pcm(
    container: Container,
    format: PcmFormat,
    first: Buffer,
    rest: AsyncIterator<Buffer>,
  ): AsyncGenerator<Buffer, void> {
    const frame = bytesPerFrame(format);
    const most = Math.floor(this.#options.maxSeconds * format.sampleRate) * frame;
    let total = 0;
    let part: Buffer = first;
    let carry: Buffer = Buffer.alloc(0);
    try {
      this.#refuseDeclared();
      for (;;) {
        total += part.length;
        if (total > most) throw tooLong(this.#options.maxSeconds);
        const joined = carry.length > 0 ? Buffer.concat([carry, part]) : part;
        const whole = joined.length - (joined.length % frame);
        carry = joined.subarray(whole);
        if (whole > 0) yield joined.subarray(0, whole);
        const { value, done } = await rest.next();
        if (done) break;
        part = value;
      }
      await this.#end(container, total / frame / format.sampleRate);
    } finally {
      await this.finish();
    }
  }

  /** A file that declares more than is allowed need not be decoded to be refused. */
  #refuseDeclared(): void {
    if ((declaredSeconds(this.#process!.said()) ?? 0) > this.#options.maxSeconds)
      throw tooLong(this.#options.maxSeconds);
  }

  /** The program has ended: well, or with what is wrong with the file. */
  async #end(container: Container, seconds: number): Promise<void> {
    const { code, signal } = await this.#process!.ended.catch(() => {
      throw new ApiError('unavailable', 'Audio cannot be decoded: the decoder does not start.', {
        retryAfter: 60,
      });
    });
    this.#options.signal?.throwIfAborted();
    if (this.#sourceError) throw this.#sourceError;
    if (code === 127 || code === 126) {
      throw new ApiError('unavailable', 'Audio cannot be decoded: the decoder is missing.', {
        retryAfter: 60,
      });
    }
    this.#refuseDeclared();
    if (signal === 'SIGXCPU')
      throw new ApiError('invalid_audio', 'The file takes too much work to decode.', FILE);
    if (code !== 0 || seconds === 0) throw damaged(container);
    const declared =
      container.name === 'ogg' || container.name === 'aac'
        ? undefined
        : declaredSeconds(this.#process!.said());
    if (declared !== undefined && seconds < declared * (1 - MISSING_SHARE) - MISSING_SECONDS) {
      const found = `its header declares ${declared.toFixed(1)} s, but it holds ${seconds.toFixed(1)} s`;
      throw new ApiError('invalid_audio', `The ${container.name} file is cut short: ${found}.`, FILE);
    }
  }
}

const FILE = { param: 'file' };

const damaged = (container: Container) =>
  new ApiError(
    'invalid_audio',
    `The ${container.name} file holds no audio that can be decoded, or is damaged.`,
    FILE,
  );

const tooLong = (seconds: number) =>
  new ApiError(
    'payload_too_large',
    `The audio is longer than ${seconds} seconds, the most that is allowed.`,
    FILE,
  );

function argumentsFor(container: Container, isFile: boolean, options: DecodeOptions): string[] {
  const input = isFile ? ['-fd', '0', '-i', 'fd:'] : ['-i', 'pipe:0'];
  const layouts = options.channels === 'mix' ? 'mono' : 'mono|stereo';
  const resample = `aresample=${options.sampleRate}:filter_size=64:cutoff=0.97`;
  return [
    ...['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'info', '-protocol_whitelist', 'fd,pipe'],
    ...['-format_whitelist', container.demuxer, '-codec_whitelist', DECODERS, '-f', container.demuxer],
    ...['-threads', '1', '-max_error_rate', '0.2', ...input, '-map', '0:a:0', '-map_metadata', '-1'],
    ...['-filter_threads', '1', '-af', `aformat=channel_layouts=${layouts},${resample}`, '-threads', '1'],
    ...['-c:a', options.sample === 's16' ? 'pcm_s16le' : 'pcm_f32le', '-bitexact', '-f', 'wav', 'pipe:1'],
  ];
}

/** What the file's own header says of its length. Lines of tags are indented further, so none can pretend to be this one. */
function declaredSeconds(said: string): number | undefined {
  const match = /^ {2}Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)/m.exec(said);
  return match ? Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]) : undefined;
}
