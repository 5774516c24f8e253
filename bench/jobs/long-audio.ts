import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { wavHeader } from '../../src/media/codec/index.ts';
import { readClip, spokenClips } from '../hear/clips.ts';

const RATE = 16_000;
const PAUSE = Buffer.alloc(RATE * 2);
const LEAST_SECONDS = 7;

export interface LongFile {
  readonly path: string;
  readonly seconds: number;
  readonly text: string;
  readonly rounds: readonly { readonly start: number; readonly end: number }[];
}

export async function writeLongFile(path: string, seconds: number): Promise<LongFile> {
  const clips = spokenClips().filter(
    (clip) => clip.language === 'en' && clip.kind === 'read' && clip.seconds >= LEAST_SECONDS,
  );
  const round = Buffer.concat(clips.flatMap((clip) => [readClip(clip.path, RATE), PAUSE]));
  const length = round.length / 2 / RATE;
  const count = Math.max(1, Math.floor(seconds / length));
  const out = createWriteStream(path);
  out.write(wavHeader({ sampleRate: RATE, channels: 1, sample: 's16' }, round.length * count));
  for (let at = 0; at < count; at += 1) if (!out.write(round)) await once(out, 'drain');
  out.end();
  await once(out, 'close');
  return {
    path,
    seconds: length * count,
    text: clips.map(({ text }) => text).join(' '),
    rounds: Array.from({ length: count }, (_, at) => ({ start: at * length, end: (at + 1) * length })),
  };
}
