/** One file being decoded: the program that does it, the reading of its samples, and the verdict on the file. */
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Container } from './container.ts';
import { type DecodingPriority, nicenessOf } from './decoding-priority.ts';
import {
  parseChannels,
  parseDuration,
  parseSampleRate,
  reportsVideo,
  reportsVideoWithoutAudio,
} from './ffmpeg-output.ts';
import { type LimitedProcess, startLimited } from './limited-process.ts';
import { endsWithinPage } from './ogg-tail.ts';
import type { OpenedAudioSource } from './source.ts';
import { bytesPerFrame, type PcmFormat, readWavHeader } from './wav-header.ts';

export interface DecodeOptions {
  /** The server's own priority applies when this is absent. */
  readonly priority?: DecodingPriority;
  /** However it is fed and read, it gives its place back after this; absent: LONGEST_MS and the time of the audio. */
  readonly withinMs?: number;
  /** Samples a second that come out. */
  readonly sampleRate: number;
  /** `mix`: one channel; `keep`: one or two, as the file has them; a number: that one of the two alone. */
  readonly channels: 'mix' | 'keep' | 0 | 1;
  readonly sample: 's16' | 'f32';
  /** Longer audio is refused with payload_too_large, as soon as that is seen. */
  readonly maxSeconds: number;
  /** The CPU time; it follows from the longest length when absent. */
  readonly cpuSeconds?: number;
  /** A file with more is refused; otherwise they are mixed. */
  readonly maxChannels?: number;
  readonly signal?: AbortSignal;
}

export interface Decoding {
  readonly container: Container['name'];
  readonly format: PcmFormat;
  /** The length that the file declares; undefined when only its end tells. */
  readonly declaredSeconds: number | undefined;
  /** Whether it shows moving pictures: sure once all of its sound was read. */
  readonly video: boolean;
  /** Little-endian samples, channels interleaved, in whole frames. Ends with an ApiError where the file does.
   * It holds a program and a place in the queue until it has been read to its end or `return` was called. */
  readonly pcm: AsyncIterableIterator<Buffer, void> & { return(): Promise<IteratorResult<Buffer, void>> };
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
/** It needs six threads, and starts no other program. */
const LIMITS = { memoryKilobytes: 80 * 1024, processes: 16 };
/** The CPU time that a file may take before its first sample. */
const CPU_SECONDS = 10;
/** The slowest format here decodes at over 100 times real time. */
const AUDIO_SECONDS_PER_CPU_SECOND = 50;
/** A header outside of these is invalid: at one sample a second, a few bytes would make hours. */
const RATES = { least: 2000, most: 768_000 };
/** A file may end this much before what its header declares: encoders round, and pad. */
const MISSING_SECONDS = 1;
const MISSING_SHARE = 0.02;
const FILE = { param: 'file' };
/** The time on top of the permitted length; a reader that is slower than real time loses its slot. */
const LONGEST_MS = 60_000;

export class DecodingRun {
  readonly #opened: OpenedAudioSource;
  readonly #options: DecodeOptions;
  readonly #leave: () => void;
  readonly #abort = () => this.#process?.kill();
  readonly #cpuSeconds: number;
  #begunAt = 0;
  #process: LimitedProcess | undefined;
  /** Why the program was stopped before it ended by itself. */
  #stopped: unknown;
  #feeding: Promise<void> | undefined;
  #finished: Promise<void> | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(opened: OpenedAudioSource, options: DecodeOptions, leave: () => void) {
    this.#opened = opened;
    this.#options = options;
    this.#leave = leave;
    this.#cpuSeconds = options.cpuSeconds ?? CPU_SECONDS + options.maxSeconds / AUDIO_SECONDS_PER_CPU_SECOND;
  }

  async start(ffmpeg: string): Promise<Decoding> {
    const { container, file } = this.#opened;
    if (!container) throw invalid(`The file is not audio: expected ${KINDS}.`);
    this.#begunAt = performance.now();
    const niceness = nicenessOf(this.#options.priority);
    const limits = { ...LIMITS, cpuSeconds: this.#cpuSeconds, niceness };
    const args = argumentsFor(container, this.#options, this.#opened.isLive === true);
    this.#process = await startLimited(ffmpeg, args, limits, file?.fd ?? 'pipe', (said) =>
      this.#judge(said),
    ).catch(notStarted);
    this.#options.signal?.addEventListener('abort', this.#abort);
    if (this.#options.signal?.aborted) this.#abort();
    const withinMs = this.#options.withinMs ?? LONGEST_MS + this.#options.maxSeconds * 1000;
    this.#deadline = setTimeout(() => this.#tooSlow(), withinMs).unref();
    this.#feed();
    const { format, rest, iterator } = await this.#header(container);
    const samples = this.#samples(container, format, rest, iterator);
    const declaredSeconds = this.#declaredSeconds(container);
    const said = () => this.#process?.stderrText() ?? '';
    return {
      container: container.name,
      format,
      declaredSeconds,
      get video() {
        return reportsVideo(said());
      },
      pcm: this.#closing(samples),
    };
  }

  /** Everything that was opened is given back, once. */
  finish(): Promise<void> {
    this.#finished ??= (async () => {
      this.#options.signal?.removeEventListener('abort', this.#abort);
      clearTimeout(this.#deadline);
      this.#process?.discard();
      await this.#opened.close();
      await this.#process?.ended;
      await this.#feeding;
      this.#leave();
    })();
    return this.#finished;
  }

  /** A generator that was never begun runs no `finally`; this one gives everything back all the same. */
  #closing(samples: AsyncGenerator<Buffer, void>): Decoding['pcm'] {
    const pcm: Decoding['pcm'] = {
      next: () => samples.next(),
      return: async () => {
        await this.finish();
        return samples.return();
      },
      [Symbol.asyncIterator]: () => pcm,
    };
    return pcm;
  }

  #feed(): void {
    const { stream } = this.#opened;
    const stdin = this.#process?.stdin;
    if (!stream || !stdin) return;
    this.#feeding = new Promise((resolve) => {
      stream.on('error', (error) => this.#stop(error));
      stream.on('close', () => resolve());
      stdin.on('close', () => stream.destroy());
      stream.pipe(stdin);
    });
  }

  #tooSlow(): void {
    this.#stop(
      new ApiError('unavailable', 'The recording took too long to decode; try again.', { retryAfter: 30 }),
    );
  }

  #stop(reason: unknown): void {
    this.#stopped ??= reason;
    this.#process?.kill();
  }

  /** The program's report on the file may end the run before it decodes. */
  #judge(said: string): void {
    try {
      this.#refuseLength(parseDuration(said));
      const rate = parseSampleRate(said);
      if (rate !== undefined && (rate < RATES.least || rate > RATES.most)) {
        throw invalid(
          `The file declares ${rate} samples a second: expected ${RATES.least} to ${RATES.most}.`,
        );
      }
      this.#refuseChannels(parseChannels(said));
    } catch (refusal) {
      this.#stop(refusal);
    }
  }

  #refuseLength(seconds: number | undefined): void {
    const { maxSeconds } = this.#options;
    if (seconds === undefined || seconds <= maxSeconds) return;
    throw new ApiError(
      'payload_too_large',
      `The audio is longer than ${maxSeconds} seconds, the most that is allowed.`,
      FILE,
    );
  }

  #refuseChannels(channels: number | undefined): void {
    const { maxChannels } = this.#options;
    if (maxChannels === undefined || channels === undefined || channels <= maxChannels) return;
    throw invalid(`The file has ${channels} channels: expected at most ${maxChannels}.`);
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
      if (!header) continue;
      // The program says what the file is before its first sample; both may be read in the same turn of the loop.
      await new Promise(setImmediate);
      if (this.#stopped === undefined)
        return { format: header.format, rest: bytes.subarray(header.audioAt), iterator };
    }
    await this.#end(container, 0);
    throw damaged(container);
  }

  async *#samples(
    container: Container,
    format: PcmFormat,
    first: Buffer,
    rest: AsyncIterator<Buffer>,
  ): AsyncGenerator<Buffer, void> {
    const frame = bytesPerFrame(format);
    let total = 0;
    let part: Buffer = first;
    let carry: Buffer = Buffer.alloc(0);
    try {
      for (;;) {
        total += part.length;
        this.#refuseLength(Math.floor(total / frame) / format.sampleRate);
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

  #declaredSeconds(container: Container): number | undefined {
    if (container.declaredSeconds !== undefined || container.name === 'ogg') return container.declaredSeconds;
    return parseDuration(this.#process!.stderrText());
  }

  /** The program has ended: well, or with what is wrong with the file. */
  async #end(container: Container, seconds: number): Promise<void> {
    const { code, signal } = await this.#process!.ended;
    this.#options.signal?.throwIfAborted();
    if (this.#stopped) throw this.#stopped;
    if (code === NOT_FOUND || code === NOT_EXECUTABLE) {
      throw new ApiError('unavailable', 'Audio cannot be decoded: the decoder is missing.', {
        retryAfter: 60,
      });
    }
    const early = performance.now() - this.#begunAt < (this.#cpuSeconds * 1000) / 2;
    if (endedByOthers(code, signal, early, this.#process!.stderrText())) {
      throw new ApiError('unavailable', 'The decoder was stopped; try again.', { retryAfter: 1 });
    }
    if (signal === 'SIGKILL')
      throw invalid('The file needs more memory or processor time to decode than one file may use.');
    // A file that says itself that it holds nothing is whole: it is silence of no length.
    const empty = seconds === 0 && container.declaredSeconds === 0;
    if (seconds === 0 && reportsVideoWithoutAudio(this.#process!.stderrText()))
      throw invalid('The video has no sound.');
    if (code !== 0 || (seconds === 0 && !empty)) throw damaged(container);
    if (container.name === 'ogg' && endsWithinPage((await this.#opened.tail()) ?? Buffer.alloc(0))) {
      throw invalid('The ogg file is cut short: it ends within a page.');
    }
    const declared = this.#declaredSeconds(container);
    if (declared === undefined || seconds >= declared * (1 - MISSING_SHARE) - MISSING_SECONDS) return;
    const found = `its header declares ${declared.toFixed(1)} s, but it holds ${seconds.toFixed(1)} s`;
    throw invalid(`The ${container.name} file is cut short: ${found}.`);
  }
}

/** Exit codes of the shell that becomes the program. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

const TERMINATION = new Set<NodeJS.Signals>(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);
/** ffmpeg writes this when it ends in good order after a signal. */
const RECEIVED_SIGNAL = /received signal \d+/;

/** An operator or a system that goes down has ended it, or a kernel that ran out of memory: the file is not to blame. Where
 * nobody here has killed it and its processor time may be up, that is why. */
function endedByOthers(
  code: number | null,
  signal: NodeJS.Signals | null,
  early: boolean,
  said: string,
): boolean {
  if (signal === 'SIGKILL') return early;
  if (signal !== null) return TERMINATION.has(signal);
  return code !== 0 && RECEIVED_SIGNAL.test(said);
}

const KINDS = 'wav, mp3, m4a, flac, ogg, mp4, webm or mkv';

const invalid = (message: string) => new ApiError('invalid_audio', message, FILE);

function notStarted(cause: unknown): never {
  const message = 'Audio cannot be decoded: the decoder could not be started.';
  throw new ApiError('unavailable', message, { retryAfter: 5, cause });
}

const damaged = (container: Container) =>
  invalid(`The ${container.name} file holds no audio that can be decoded, or is damaged.`);

/** Each packet is decoded as it comes, and its samples are passed on at once. */
const LIVE = ['-probesize', '32', '-analyzeduration', '0'];

function argumentsFor(container: Container, options: DecodeOptions, isLive: boolean): string[] {
  // A format that need not be sought in is read as a pipe even from a file: so both give the same samples.
  const input = container.seeks && !isLive ? ['-fd', '0', '-i', 'fd:'] : ['-i', 'pipe:0'];
  const resample = `aresample=${options.sampleRate}:filter_size=64:cutoff=0.97`;
  const pick = typeof options.channels === 'number' ? `,pan=mono|c0=c${options.channels}` : '';
  // A choice of layouts comes last: a resampler behind it could not tell which one a file of six channels gets.
  const filters =
    options.channels === 'mix'
      ? `aformat=channel_layouts=mono,${resample}`
      : `${resample},aformat=channel_layouts=mono|stereo${pick}`;
  return [
    ...['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'info', '-protocol_whitelist', 'fd,pipe'],
    ...['-format_whitelist', container.demuxer, '-codec_whitelist', DECODERS, '-f', container.demuxer],
    ...(isLive ? LIVE : []),
    ...['-threads', '1', '-max_error_rate', '0.2', ...input, '-map', '0:a:0', '-map_metadata', '-1'],
    ...['-filter_threads', '1', '-af', filters, '-threads', '1'],
    ...(isLive ? ['-flush_packets', '1'] : []),
    ...['-c:a', options.sample === 's16' ? 'pcm_s16le' : 'pcm_f32le', '-bitexact', '-f', 'wav', 'pipe:1'],
  ];
}
