import type { DubJobRow, DubSegmentRow } from '../../foundation/storage/tables/dub.ts';
import { outputsOf, type Segment } from '../../speech/transcription/index.ts';
import { spokenOf } from './views.ts';

export const CAPTION_FORMATS = ['vtt', 'srt'] as const;
export type CaptionFormat = (typeof CAPTION_FORMATS)[number];

/** Captions have either the original or the translation, at the time at which the dub speaks it. */
export function captionsOf(
  row: DubJobRow,
  segments: readonly DubSegmentRow[],
  language: string,
  format: CaptionFormat,
): string {
  const several = new Set(segments.map(({ speaker }) => speaker)).size > 1;
  const cues = segments.flatMap((segment): Segment[] => {
    const cue = language === row.source ? original(segment) : dubbed(segment);
    return cue ? [{ ...cue, speaker: several ? segment.speaker : null, channel: null }] : [];
  });
  return outputsOf({ text: '', words: [], segments: cues }, [format])[format] ?? '';
}

type Cue = Pick<Segment, 'start' | 'end' | 'text'>;

const original = ({ start_ms, end_ms, text }: DubSegmentRow): Cue => ({
  start: start_ms / 1000,
  end: end_ms / 1000,
  text,
});

function dubbed(segment: DubSegmentRow): Cue | null {
  const spoken = spokenOf(segment);
  if (!spoken) return null;
  const { at_ms, duration_ms, text } = spoken;
  return { start: at_ms / 1000, end: (at_ms + duration_ms) / 1000, text };
}
