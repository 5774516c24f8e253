import type { JobRequest } from './request.ts';
import type { Segment, Transcript } from './transcript.ts';

function timestamp(seconds: number, separator: ',' | '.'): string {
  const total = Math.round(seconds * 1000);
  const pad = (value: number, width = 2) => String(value).padStart(width, '0');
  const hours = Math.floor(total / 3_600_000);
  const minutes = Math.floor(total / 60_000) % 60;
  return `${pad(hours)}:${pad(minutes)}:${pad(Math.floor(total / 1000) % 60)}${separator}${pad(total % 1000, 3)}`;
}

function nameOf({ speaker, channel }: Segment): string | null {
  if (speaker !== null) return speaker;
  return channel === null ? null : `channel_${channel}`;
}

/** A blank line or an arrow inside a cue would end it. */
const cueText = (text: string): string =>
  text
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('-->', '→')
    .trim();

function srt(segments: readonly Segment[]): string {
  return segments
    .map((segment, at) => {
      const name = nameOf(segment);
      const times = `${timestamp(segment.start, ',')} --> ${timestamp(segment.end, ',')}`;
      return `${at + 1}\n${times}\n${name === null ? '' : `${name}: `}${cueText(segment.text)}\n`;
    })
    .join('\n');
}

function vtt(segments: readonly Segment[]): string {
  const cues = segments.map((segment) => {
    const name = nameOf(segment);
    const times = `${timestamp(segment.start, '.')} --> ${timestamp(segment.end, '.')}`;
    const text = cueText(segment.text)
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;');
    return `\n${times}\n${name === null ? '' : `<v ${name}>`}${text}\n`;
  });
  return `WEBVTT\n${cues.join('')}`;
}

function plain(transcript: Transcript): string {
  const named = transcript.segments.some((segment) => nameOf(segment) !== null);
  if (!named) return transcript.text;
  return transcript.segments.map((segment) => `${nameOf(segment)}: ${segment.text}`).join('\n');
}

export interface Outputs {
  readonly json?: Transcript;
  readonly text?: string;
  readonly srt?: string;
  readonly vtt?: string;
}

export function outputsOf(transcript: Transcript, formats: JobRequest['outputFormats']): Outputs {
  return {
    ...(formats.includes('json') ? { json: transcript } : {}),
    ...(formats.includes('text') ? { text: plain(transcript) } : {}),
    ...(formats.includes('srt') ? { srt: srt(transcript.segments) } : {}),
    ...(formats.includes('vtt') ? { vtt: vtt(transcript.segments) } : {}),
  };
}
