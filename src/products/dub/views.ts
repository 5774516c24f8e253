import type { DubJobRow, DubSegmentRow } from '../../foundation/storage/tables/dub.ts';
import type { CastVoice, DubOutput, DubRequest, SourceMedia, SpokenSegment } from './contract.ts';

export interface SpeakerView {
  readonly speaker: string;
  readonly voice: string | null;
  readonly pitch_hz: number | null;
  readonly voice_pitch_hz: number | null;
  readonly likeness: number | null;
}

export interface DubView {
  readonly id: string;
  readonly object: 'dub';
  readonly status: DubJobRow['status'];
  readonly source: string;
  readonly target: string;
  readonly voice: string | null;
  readonly background: DubRequest['background'];
  readonly glossary: Readonly<Record<string, string>>;
  readonly progress: number;
  readonly duration_s: number | null;
  readonly video: boolean | null;
  readonly speakers: readonly SpeakerView[];
  readonly revision: number;
  readonly output: { readonly content_type: string; readonly bytes: number } | null;
  readonly external_id: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  readonly audio_removed_at: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export const requestOf = (row: Pick<DubJobRow, 'request'>): DubRequest =>
  JSON.parse(row.request) as DubRequest;
export const mediaOf = (row: Pick<DubJobRow, 'media'>): SourceMedia | null =>
  row.media === null ? null : (JSON.parse(row.media) as SourceMedia);
export const castOf = (row: Pick<DubJobRow, 'speakers'>): readonly CastVoice[] | null =>
  row.speakers === null ? null : (JSON.parse(row.speakers) as CastVoice[]);
export const outputOf = (row: Pick<DubJobRow, 'output'>): DubOutput | null =>
  row.output === null ? null : (JSON.parse(row.output) as DubOutput);
export const spokenOf = (row: Pick<DubSegmentRow, 'spoken'>): SpokenSegment | null =>
  row.spoken === null ? null : (JSON.parse(row.spoken) as SpokenSegment);

export function viewOf(row: DubJobRow): DubView {
  const { voice, background, glossary } = requestOf(row);
  const output = outputOf(row);
  return {
    id: row.id,
    object: 'dub',
    status: row.status,
    source: row.source,
    target: row.target,
    voice,
    background,
    glossary,
    progress: row.progress / 1000,
    duration_s: row.duration_ms === null ? null : row.duration_ms / 1000,
    video: mediaOf(row)?.video ?? null,
    speakers: (castOf(row) ?? []).map(speakerOf),
    revision: row.revision,
    output: output && { content_type: output.content_type, bytes: output.bytes },
    external_id: row.external_id,
    created_at: row.created_at,
    started_at: row.started_at,
    completed_at: row.completed_at,
    audio_removed_at: row.audio_removed_at,
    error: row.error === null ? null : { code: row.error_code ?? 'internal_error', message: row.error },
  };
}

const speakerOf = ({
  speaker,
  voice,
  pitch_hz,
  voice_pitch_hz,
  likeness: similarity,
}: CastVoice): SpeakerView => ({
  speaker,
  voice,
  pitch_hz,
  voice_pitch_hz,
  likeness: similarity,
});

export interface SegmentView {
  readonly number: number;
  readonly speaker: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly translation: string | null;
  readonly translated_by: string | null;
  readonly voice: string | null;
  /** It is null where the segment was not spoken yet, or has changed since. */
  readonly spoken: Omit<SpokenSegment, 'name'> | null;
}

export function segmentOf(row: DubSegmentRow): SegmentView {
  const spoken = spokenOf(row);
  return {
    number: row.number,
    speaker: row.speaker,
    start: row.start_ms / 1000,
    end: row.end_ms / 1000,
    text: row.text,
    translation: row.translation,
    translated_by: row.translated_by,
    voice: row.voice,
    spoken: spoken && withoutName(spoken),
  };
}

function withoutName({ name: _, ...rest }: SpokenSegment): Omit<SpokenSegment, 'name'> {
  return rest;
}
