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
  readonly priority?: DecodingPriority;
  /**
   * The run releases its slot after this time, whatever the feed and the reader do; absent, after LONGEST_MS and the
   * length of the audio.
   */
  readonly withinMs?: number;
  readonly sampleRate: number;
  readonly channels: 'mix' | 'keep' | 0 | 1;
  readonly sample: 's16' | 'f32';
  /** Longer audio is rejected with payload_too_large as soon as its length is known. */
  readonly maxSeconds: number;
  readonly cpuSeconds?: number;
  readonly maxChannels?: number;
  readonly signal?: AbortSignal;
}

export interface Decoding {
  readonly container: Container['name'];
  readonly format: PcmFormat;
  readonly declaredSeconds: number | undefined;
  /** The value is final once all audio was read. */
  readonly video: boolean;
  /**
   * Yields little-endian samples with interleaved channels in whole frames, and throws the ApiError of the file. A
   * program and a slot stay in use until it was read to the end or `return` was called.
   */
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
/** ffmpeg needs six threads and starts no other program. */
const LIMITS = { memoryKilobytes: 80 * 1024, processes: 16 };
const CPU_SECONDS = 10;
/** The slowest format here decodes at over 100 times real time. */
const AUDIO_SECONDS_PER_CPU_SECOND = 50;
/** A header outside this range is invalid: at one sample a second, a few bytes would last hours. */
const RATES = { least: 2000, most: 768_000 };
/** A file may end this much before its declared length, because encoders round and pad. */
const MISSING_SECONDS = 1;
const MISSING_SHARE = 0.02;
const FILE = { param: 'file' };
/** The time on top of the permitted length. A reader that is slower than real time loses its slot. */
const LONGEST_MS = 60_000;

export class DecodingRun {
  readonly #opened: OpenedAudioSource;
  readonly #options: DecodeOptions;
  readonly #leave: () => void;
  readonly #abort = () => this.#process?.kill();
  readonly #cpuSeconds: number;
  #begunAt = 0;
  #process: LimitedProcess | undefined;
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

  /** A generator that never started runs no `finally`, so this wrapper releases the resources itself. */
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
      `The audio is longer than the limit of ${maxSeconds} seconds.`,
      FILE,
    );
  }

  #refuseChannels(channels: number | undefined): void {
    const { maxChannels } = this.#options;
    if (maxChannels === undefined || channels === undefined || channels <= maxChannels) return;
    throw invalid(`The file has ${channels} channels: expected at most ${maxChannels}.`);
  }

  async #header(container: Container) {
    const iterator = this.#process!.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    let bytes: Buffer = Buffer.alloc(0);
    for (;;) {
      const { value, done } = await iterator.next();
      if (done) break;
      bytes = bytes.length === 0 ? value : Buffer.concat([bytes, value]);
      const header = readWavHeader(bytes);
      if (!header) continue;
      // ffmpeg describes the file before its first sample, and one turn of the event loop may deliver both.
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
      throw invalid('Decoding the file requires more memory or processor time than is allowed per file.');
    // A file that declares no content is complete: it is audio of length 0.
    const empty = seconds === 0 && container.declaredSeconds === 0;
    if (seconds === 0 && reportsVideoWithoutAudio(this.#process!.stderrText()))
      throw invalid('The video has no audio.');
    if (code !== 0 || (seconds === 0 && !empty)) throw damaged(container);
    if (container.name === 'ogg' && endsWithinPage((await this.#opened.tail()) ?? Buffer.alloc(0))) {
      throw invalid('The ogg file is truncated: it ends within a page.');
    }
    const declared = this.#declaredSeconds(container);
    if (declared === undefined || seconds >= declared * (1 - MISSING_SHARE) - MISSING_SECONDS) return;
    const found = `its header declares ${declared.toFixed(1)} s, but it has ${seconds.toFixed(1)} s`;
    throw invalid(`The ${container.name} file is truncated: ${found}.`);
  }
}

const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

const TERMINATION = new Set<NodeJS.Signals>(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);
const RECEIVED_SIGNAL = /received signal \d+/;

/**
 * Returns true where an operator, a shutdown or the kernel's out-of-memory killer ended the program, so that the file
 * is not at fault. A SIGKILL late in the run means that the CPU time was used up.
 */
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
  invalid(`The ${container.name} file has no audio that can be decoded, or is damaged.`);

const LIVE = ['-probesize', '32', '-analyzeduration', '0'];

function argumentsFor(container: Container, options: DecodeOptions, isLive: boolean): string[] {
  // Formats that need no seeking are read as a pipe even from a file, so that both give the same samples.
  const input = container.seeks && !isLive ? ['-fd', '0', '-i', 'fd:'] : ['-i', 'pipe:0'];
  const resample = `aresample=${options.sampleRate}:filter_size=64:cutoff=0.97`;
  const pick = typeof options.channels === 'number' ? `,pan=mono|c0=c${options.channels}` : '';
  // The channel selection is the last filter, because a later resampler could not know the layout that a file of six
  // channels gets.
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
