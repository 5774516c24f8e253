import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  type Decoding,
  decodingPriorityOfRow,
  encode,
  Mp3Encoder,
  mux,
  type SpooledUpload,
  spoolUpload,
  wavHeader,
} from '../../../media/codec/index.ts';
import { capacityShareOf, DUB_RATE, dubMixJob } from '../../../media/engine/index.ts';
import type { DubOutput, DubRequest, SoundFormat, SourceMedia } from '../contract.ts';
import { faultOf } from '../fault.ts';
import { fileKey, sourceKey } from '../keys-and-queues.ts';
import { segmentsOf } from '../store.ts';
import { requestOf, spokenOf } from '../views.ts';
import type { DubStep } from './step.ts';
import { VoiceTrack } from './track.ts';

/** The mixer works on one piece at a time, with its surroundings as context. */
const PIECE_SECONDS = 24;
const AROUND_SECONDS = 4;
const SAMPLE_BYTES = 2;

/** The level of the original below the voices, in decibels. */
const UNDER = {
  separate: { removes: true, duckDb: 4, restDb: 0 },
  duck: { removes: false, duckDb: 16, restDb: 0 },
  none: { removes: false, duckDb: 0, restDb: -120 },
} as const satisfies Record<DubRequest['background'], object>;

const KINDS: Readonly<Record<SoundFormat | 'm4a' | 'webm', { type: string; extension: string }>> = {
  mp3: { type: 'audio/mpeg', extension: 'mp3' },
  wav: { type: 'audio/wav', extension: 'wav' },
  flac: { type: 'audio/flac', extension: 'flac' },
  opus: { type: 'audio/ogg', extension: 'opus' },
  m4a: { type: 'video/mp4', extension: 'mp4' },
  webm: { type: 'video/x-matroska', extension: 'mkv' },
};

export async function mixDub(step: DubStep, media: SourceMedia): Promise<DubOutput> {
  const { deps, row, signal } = step;
  const kind = media.video ? (media.container === 'webm' ? 'webm' : 'm4a') : requestOf(row).format;
  const decoding = await decodeSource(step);
  const channels = decoding.format.channels as 1 | 2;
  const pcm = mixed(step, decoding, channels);
  const name = `output-r${row.revision}`;
  const payer = { orgId: row.org_id, environment: row.environment };
  const { bytes } = await deps.blobs.put(fileKey(row.id, name), encoded(step, pcm, kind, channels), {
    signal,
    payer,
  });
  const { type, extension } = KINDS[kind];
  return { name, content_type: type, extension, bytes };
}

async function decodeSource({ deps, row, signal }: DubStep): Promise<Decoding> {
  const body = await deps.blobs.get(sourceKey(row.id));
  if (!body) throw new Error('the source is missing');
  const options = {
    sampleRate: DUB_RATE,
    channels: 'keep',
    sample: 's16',
    maxSeconds: row.max_seconds,
    // The original is read as fast as it is mixed.
    withinMs: 24 * 3_600_000,
    signal,
    priority: decodingPriorityOfRow(row, 'jobs'),
  } as const;
  try {
    return await deps.decoder.decode({ stream: body.stream }, options);
  } catch (error) {
    throw faultOf(error, 'invalid_audio');
  }
}

async function* mixed(step: DubStep, { pcm }: Decoding, channels: 1 | 2): AsyncGenerator<Buffer> {
  const { deps, row, scope, signal } = step;
  const segments = await segmentsOf(deps.storage.db, scope, row.id);
  const spoken = segments.flatMap((segment) => spokenOf(segment) ?? []);
  const track = new VoiceTrack(deps.blobs, row.id, spoken);
  const under = UNDER[requestOf(row).background];
  for await (const { sound, from, before, after } of pieces(pcm, channels)) {
    const frames = sound.length / SAMPLE_BYTES / channels;
    const voices = await track.between(from * 1000, (from + frames / DUB_RATE) * 1000);
    const options = { frames, channels, before, after, ...under };
    const job = deps.engine.submit(
      dubMixJob,
      options,
      Buffer.concat([sound, voices]),
      signal,
      capacityShareOf(row.environment),
    );
    yield Buffer.from(await job.result());
  }
}

interface PieceOfSound {
  readonly sound: Buffer;
  /** The start in seconds. */
  readonly from: number;
  /** The frames at its ends that belong to its neighbours. */
  readonly before: number;
  readonly after: number;
}

/** Yields pieces that overlap by their context. */
async function* pieces(pcm: AsyncIterable<Buffer>, channels: number): AsyncGenerator<PieceOfSound> {
  const frameBytes = SAMPLE_BYTES * channels;
  const around = AROUND_SECONDS * DUB_RATE;
  const whole = PIECE_SECONDS * DUB_RATE;
  let parts: Buffer[] = [];
  let held = 0;
  let first = 0;
  let before = 0;
  for await (const part of pcm) {
    parts.push(part);
    held += part.length;
    if (held < (before + whole + around) * frameBytes) continue;
    const sound = Buffer.concat(parts);
    const frames = before + whole + around;
    const after = around;
    yield { sound: sound.subarray(0, frames * frameBytes), from: first / DUB_RATE, before, after };
    const stored = before + whole - around;
    const rest = Buffer.from(sound.subarray(stored * frameBytes));
    parts = [rest];
    held = rest.length;
    first += stored;
    before = around;
  }
  const sound = Buffer.concat(parts);
  if (sound.length > before * frameBytes) yield { sound, from: first / DUB_RATE, before, after: 0 };
}

function encoded(
  step: DubStep,
  pcm: AsyncGenerator<Buffer>,
  kind: keyof typeof KINDS,
  channels: 1 | 2,
): AsyncGenerator<Uint8Array> {
  const { deps, signal } = step;
  const options = { sampleRate: DUB_RATE, channels, music: true, signal } as const;
  if (kind === 'wav') return asWav(step, pcm, channels);
  if (kind === 'mp3') return asMp3(pcm, channels);
  if (deps.ffmpeg === null) throw new Error('ffmpeg is missing');
  if (kind === 'm4a' || kind === 'webm') return asVideo(step, deps.ffmpeg, pcm, kind, channels);
  return encode(deps.ffmpeg, pcm, { ...options, format: kind });
}

async function* asMp3(pcm: AsyncIterable<Buffer>, channels: 1 | 2): AsyncGenerator<Buffer> {
  const encoder = await Mp3Encoder.create({
    sampleRate: DUB_RATE,
    channels,
    kilobits: channels === 2 ? 128 : 96,
  });
  for await (const part of pcm) yield encoder.encode(part);
  yield encoder.finish();
}

/** The header states the length, so the samples wait until it is known. */
async function* asWav(
  { deps }: DubStep,
  pcm: AsyncIterable<Buffer>,
  channels: 1 | 2,
): AsyncGenerator<Buffer> {
  const stored = await spoolUpload(Readable.from(pcm, { objectMode: false }), deps.temporary);
  try {
    const { size } = await stat(stored.path);
    yield wavHeader({ sampleRate: DUB_RATE, channels, sample: 's16' }, size);
    for await (const part of createReadStream(stored.path)) yield part as Buffer;
  } finally {
    await stored.discard();
  }
}

async function* asVideo(
  { deps, row, signal }: DubStep,
  ffmpeg: string,
  pcm: AsyncIterable<Buffer>,
  container: 'm4a' | 'webm',
  channels: 1 | 2,
): AsyncGenerator<Buffer> {
  const body = await deps.blobs.get(sourceKey(row.id));
  if (!body) throw new Error('the source is missing');
  const stored: SpooledUpload = await spoolUpload(body.stream, deps.temporary);
  try {
    const video = await open(stored.path, 'r');
    try {
      const language = row.target;
      yield* mux(ffmpeg, video, pcm, { container, sampleRate: DUB_RATE, channels, language, signal });
    } finally {
      await video.close();
    }
  } finally {
    await stored.discard();
  }
}
