import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transcribeRecording } from '../../src/media/engine/index.ts';
import { Speaker } from '../speak/served-surface.ts';
import { voice } from '../speak/voices.ts';
import { CACHE } from './texts.ts';

const VOICES = ['heart_en_us', 'joe_en_us'] as const;
/** A new value invalidates the cached transcripts: it changes with everything that affects recognition. */
const MANNER = 'pcm16 8 kHz, whole recordings, 1';
const STEPS = 8;

/**
 * Returns what was recognized of each question, spoken by the voices in turn. Earlier results are cached outside the
 * repository.
 */
export async function spoken(texts: readonly string[]): Promise<string[]> {
  let speaker: Speaker | null = null;
  const heard: string[] = [];
  try {
    for (const [at, text] of texts.entries()) {
      const name = VOICES[at % VOICES.length] as string;
      const hash = createHash('sha256').update([MANNER, name, text].join('\n')).digest('hex');
      const path = join(CACHE, 'heard', `${hash}.txt`);
      if (!existsSync(path)) {
        if (speaker === null) {
          speaker = new Speaker();
          await speaker.engine.prepared();
        }
        const said = await hear(speaker, await speaker.say(text, voice(name), { rate: 8000 }));
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, said);
      }
      heard.push(readFileSync(path, 'utf8'));
    }
    return heard;
  } finally {
    speaker?.close();
  }
}

/** The quantization to eight bits a sample is about the noise of u-law. */
const onTheLine = (value: number): number => {
  const sign = Math.sign(value);
  const pressed = Math.log1p(255 * Math.abs(value)) / Math.log(256);
  return (sign * (256 ** (Math.round(pressed * 2 ** (STEPS - 1)) / 2 ** (STEPS - 1)) - 1)) / 255;
};

async function hear(speaker: Speaker, narrow: Float32Array): Promise<string> {
  const pcm = new Int16Array(2 * narrow.length);
  for (const [at, value] of narrow.entries()) {
    const [now, next] = [onTheLine(value), onTheLine(narrow[at + 1] ?? value)];
    pcm[2 * at] = Math.round(now * 32_767);
    pcm[2 * at + 1] = Math.round(((now + next) / 2) * 32_767);
  }
  async function* bytes() {
    yield new Uint8Array(pcm.buffer);
  }
  const texts: string[] = [];
  for await (const { segment } of transcribeRecording(speaker.engine, bytes(), { language: 'en' }))
    if (segment) texts.push(segment.text.trim());
  return texts.join(' ');
}
