import type { BodyReader } from './packed-records.ts';

export interface EngineWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

export interface EngineTranscript {
  readonly text: string;
  readonly words: readonly EngineWord[];
}

export function readTranscript(reader: BodyReader, shift = 0): EngineTranscript {
  const text = reader.text(reader.u32());
  const words: EngineWord[] = [];
  for (let left = reader.u32(); left > 0; left -= 1) {
    const start = milliseconds(reader.f32() + shift);
    const end = milliseconds(reader.f32() + shift);
    words.push({ word: reader.text(reader.u16()), start, end });
  }
  return { text, words };
}

export const milliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;
