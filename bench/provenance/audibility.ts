import { type Engine, transcribeRecording } from '../../src/media/engine/index.ts';
import { wordErrors } from '../speak/sound.ts';
import { atRate } from './attacks.ts';

const HEAR_RATE = 16_000;
const FRAME = 480;
const BANDS = 24;

const samplesOf = (pcm: Buffer): Int16Array =>
  new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.length));

export function signalToWatermark(plain: Buffer, marked: Buffer): number {
  const [one, other] = [samplesOf(plain), samplesOf(marked)];
  let [signal, added] = [0, 0];
  for (let i = 0; i < one.length; i++) {
    signal += one[i]! ** 2;
    added += (other[i]! - one[i]!) ** 2;
  }
  return 10 * Math.log10(signal / added);
}

/** Returns the RMS difference of the levels of 200 Hz bands in 20 ms frames with speech, in dB. */
export function spectralDistance(plain: Buffer, marked: Buffer): number {
  const [one, other] = [samplesOf(plain), samplesOf(marked)];
  const [sums, count] = [[0], [0]];
  for (let at = 0; at + FRAME <= one.length; at += FRAME) {
    const [a, b] = [levels(one, at), levels(other, at)];
    if (Math.max(...a) < 40) continue;
    for (let band = 0; band < BANDS; band++) {
      sums[0]! += (a[band]! - b[band]!) ** 2;
      count[0]! += 1;
    }
  }
  return Math.sqrt(sums[0]! / Math.max(1, count[0]!));
}

function levels(samples: Int16Array, at: number): number[] {
  return Array.from({ length: BANDS }, (_, band) => {
    let power = 1;
    for (let line = 0; line < 4; line++) {
      const step = (2 * Math.PI * (band * 4 + line + 1)) / FRAME;
      let [re, im] = [0, 0];
      for (let i = 0; i < FRAME; i++) {
        const shaped = samples[at + i]! * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / FRAME));
        re += shaped * Math.cos(step * i);
        im += shaped * Math.sin(step * i);
      }
      power += (re * re + im * im) / FRAME;
    }
    return 10 * Math.log10(power);
  });
}

export async function recognitionErrors(engine: Engine, pcm: Buffer, text: string) {
  async function* pieces() {
    yield atRate(pcm, HEAR_RATE);
  }
  const words: string[] = [];
  for await (const { segment } of transcribeRecording(engine, pieces(), { language: 'en' }))
    if (segment) words.push(segment.text);
  return wordErrors(text, words.join(' '));
}
