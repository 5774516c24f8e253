import type { Kysely } from 'kysely';
import type { Trx } from '../../../foundation/jobs/index.ts';
import type { Tables } from '../../../foundation/storage/index.ts';
import { acrossTenants } from '../../../foundation/storage/index.ts';
import type { RecognizedWord, SpeakerEmbedding, SpeechSpan } from '../contract.ts';

export interface RecognizedProgress extends SpeechSpan {
  readonly done: number;
}

export interface StoredSpan {
  readonly channel: number;
  readonly done: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly language: string | null;
  readonly words: readonly RecognizedWord[];
  readonly voices: readonly SpeakerEmbedding[];
  /** An earlier version stored the span with vectors of another model, which are left out. */
  readonly outdatedVoices?: boolean;
}

export const spanDocument = (span: SpeechSpan, voices: readonly SpeakerEmbedding[]): string =>
  JSON.stringify({
    start: span.start,
    end: span.end,
    text: span.text,
    language: span.language,
    words: span.words,
    voices: [],
    pieces: voices.map(({ start, end, alone, narrow, vector }) => ({
      start,
      end,
      alone,
      narrow,
      vector: vector && encodeVector(vector),
    })),
    encoder: voices[0]?.encoder,
  } satisfies Document);

export function spanOf(text: string, channel: number, done: number): StoredSpan {
  const { voices, pieces = [], language = null, encoder, ...document } = JSON.parse(text) as Document;
  return {
    channel,
    done,
    language,
    ...document,
    voices: pieces.map((piece) => ({
      ...piece,
      ...(encoder && { encoder }),
      vector: piece.vector === null ? null : decodeVector(piece.vector),
    })),
    ...(voices.length > 0 ? { outdatedVoices: true } : {}),
  };
}

interface Document {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Spans from before channels had languages lack it. */
  readonly language?: string | null;
  readonly words: readonly RecognizedWord[];
  readonly voices: readonly unknown[];
  readonly pieces?: readonly (Omit<SpeakerEmbedding, 'vector' | 'encoder'> & {
    readonly vector: string | null;
  })[];
  readonly encoder?: SpeakerEmbedding['encoder'];
}

const encodeVector = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');

function decodeVector(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

export async function storeSpan(
  trx: Trx,
  jobId: string,
  channel: number,
  sequence: number,
  span: RecognizedProgress,
  voices: readonly SpeakerEmbedding[],
): Promise<void> {
  await acrossTenants(trx)
    .insertInto('transcription_segments')
    .values({
      job_id: jobId,
      channel,
      sequence,
      start_ms: Math.round(span.start * 1000),
      end_ms: Math.round(span.done * 1000),
      document: spanDocument(span, voices),
    })
    .execute();
}

export async function loadSpans(db: Kysely<Tables>, jobId: string): Promise<readonly StoredSpan[]> {
  const rows = await acrossTenants(db)
    .selectFrom('transcription_segments')
    .selectAll()
    .where('job_id', '=', jobId)
    .orderBy('channel')
    .orderBy('sequence')
    .execute();
  return rows.map((row) => spanOf(row.document, row.channel, row.end_ms / 1000));
}
