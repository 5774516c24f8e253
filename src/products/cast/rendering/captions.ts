/** Makes captions with at most two rows a cue, at the time at which their words are spoken. */
import type { RenderPlan } from './plan.ts';
import type { RenderResult } from './result.ts';

export const CAPTION_FORMATS = ['srt', 'vtt'] as const;
export type CaptionFormat = (typeof CAPTION_FORMATS)[number];

interface Cue {
  readonly speaker: string;
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

const MOST_CHARACTERS = 84;
const ROW = 42;

export function captionsOf(plan: RenderPlan, { timeline }: RenderResult, format: CaptionFormat): string {
  const lines = new Map(plan.lines.map((line) => [line.id, line]));
  const cues = timeline.flatMap(({ line_id: id, start_ms: startMs, end_ms: endMs }) => {
    const line = lines.get(id);
    return line === undefined ? [] : cuesOf({ speaker: line.speaker, text: line.words, startMs, endMs });
  });
  return format === 'srt' ? cues.map(srtCue).join('\n') : `WEBVTT\n\n${cues.map(vttCue).join('\n')}`;
}

/** Divides a long line into cues, each with its share of the time. */
function cuesOf(line: Cue): Cue[] {
  const pieces = piecesOf(line.text);
  const all = pieces.reduce((so, piece) => so + piece.length, 0);
  const length = line.endMs - line.startMs;
  let said = 0;
  return pieces.map((text) => {
    const startMs = line.startMs + Math.round((length * said) / all);
    said += text.length;
    return { ...line, text, startMs, endMs: line.startMs + Math.round((length * said) / all) };
  });
}

/** Divides at punctuation where some is near, else between words. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > MOST_CHARACTERS) {
    const line = rest.slice(0, MOST_CHARACTERS + 1);
    const mark = Math.max(
      ...['. ', '? ', '! ', ', ', '; ', ': ', '— '].map((each) => line.lastIndexOf(each)),
    );
    const space = line.lastIndexOf(' ');
    const at = mark > MOST_CHARACTERS / 3 ? mark + 1 : space > 0 ? space : MOST_CHARACTERS;
    pieces.push(rest.slice(0, at).trim());
    rest = rest.slice(at).trim();
  }
  return rest === '' ? pieces : [...pieces, rest];
}

function rowsOf(text: string): string {
  if (text.length <= ROW) return text;
  const middle = text.length / 2;
  const spaces = [...text.matchAll(/ /gu)].map(({ index }) => index);
  if (spaces.length === 0) return text;
  const at = spaces.reduce((best, space) =>
    Math.abs(space - middle) < Math.abs(best - middle) ? space : best,
  );
  return `${text.slice(0, at)}\n${text.slice(at + 1)}`;
}

function timeOf(milliseconds: number, comma: string): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const rest = String(milliseconds % 1000).padStart(3, '0');
  return `${two(milliseconds / 3_600_000)}:${two((milliseconds / 60_000) % 60)}:${two((milliseconds / 1000) % 60)}${comma}${rest}`;
}

const srtCue = ({ speaker, text, startMs, endMs }: Cue, at: number): string =>
  `${at + 1}\n${timeOf(startMs, ',')} --> ${timeOf(endMs, ',')}\n${rowsOf(`${speaker}: ${text}`)}\n`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const vttCue = ({ speaker, text, startMs, endMs }: Cue): string =>
  `${timeOf(startMs, '.')} --> ${timeOf(endMs, '.')}\n<v ${escaped(speaker)}>${escaped(rowsOf(text))}\n`;
