import type { EngineVoice } from '../../src/media/engine/index.ts';
import { designVoices } from '../../src/speech/voices/design.ts';
import { EMOTIONS, mannerOf, mergeManners } from '../../src/speech/voices/manners.ts';
import type { Section } from './parts.ts';
import type { Speaker } from './served-surface.ts';
import { activeDb, brightness, pitchOf } from './sound.ts';
import { RATE, voice } from './voices.ts';

const TEXTS = [
  'I have looked at your account and there is something that you should know.',
  'The next appointment is on Thursday morning, would you like to take it?',
];
const VOICES = ['heart_en_us', 'michael_en_us', 'emma_en_gb'];

/**
 * The unit is the just noticeable difference: half a semitone, a semitone of melody, a decibel, a twentieth of the
 * pace, two decibels of colour.
 */
export interface EmotionResult {
  readonly pitch: number;
  readonly melody: number;
  readonly force: number;
  readonly pace: number;
  readonly colour: number;
}
const STEPS: Readonly<Record<keyof EmotionResult, number>> = {
  pitch: 0.5,
  melody: 1,
  force: 1,
  pace: 0.07,
  colour: 2,
};

export async function measureEmotion(
  speaker: Speaker,
  spoken: EngineVoice,
): Promise<EmotionResult & { hertz: number }> {
  const sums = { pitch: 0, melody: 0, force: 0, pace: 0, colour: 0, hertz: 0 };
  for (const text of TEXTS) {
    const samples = await speaker.say(text, spoken);
    const { hertz, semitones } = pitchOf(samples, RATE);
    sums.hertz += hertz / TEXTS.length;
    sums.pitch += (12 * Math.log2(Math.max(hertz, 1))) / TEXTS.length;
    sums.melody += semitones / TEXTS.length;
    sums.force += activeDb(samples, RATE) / TEXTS.length;
    sums.pace += Math.log2(samples.length) / TEXTS.length;
    sums.colour += brightness(samples, RATE) / TEXTS.length;
  }
  return sums;
}

export const apart = (a: EmotionResult, b: EmotionResult): number =>
  Math.max(
    ...(Object.keys(STEPS) as (keyof EmotionResult)[]).map((key) => Math.abs(a[key] - b[key]) / STEPS[key]),
  );

async function emotions(report: Section, speaker: Speaker): Promise<void> {
  report.heading('Emotions');
  report.text(
    'Two sentences by three voices. Apart: the distance of any two emotions of a voice in what differs most, in steps that a listener just notices (half a semitone of pitch, one of melody, 1 dB, 5 % of the pace, 2 dB of high tones against low).',
  );
  const rows: (string | number)[][] = [];
  let closest = Number.POSITIVE_INFINITY;
  for (const name of VOICES) {
    const found: EmotionResult[] = [];
    for (const emotion of EMOTIONS) {
      const heard = await measureEmotion(speaker, {
        ...voice(name),
        manner: mergeManners(mannerOf(emotion)),
      });
      for (const other of found) closest = Math.min(closest, apart(other, heard));
      found.push(heard);
      rows.push([
        name,
        emotion,
        heard.hertz,
        heard.melody,
        heard.force,
        2 ** heard.pace / RATE,
        heard.colour,
      ]);
    }
  }
  report.table(
    ['voice', 'emotion', 'pitch, Hz', 'melody, semitones', 'force, dBFS', 'seconds', 'high against low, dB'],
    rows,
  );
  report.figure({
    name: 'emotions: the two that are least apart',
    value: closest,
    unit: 'noticeable steps',
    goal: { atLeast: 1 },
  });
}

export const ENDS: readonly (readonly [string, string, string])[] = [
  ['age', 'an old woman', 'a young woman'],
  ['gender', 'a woman', 'a man'],
  ['pitch', 'a woman with a deep voice', 'a woman with a high voice'],
  ['pace', 'a woman who speaks slowly', 'a woman who is fast'],
  ['warmth', 'a woman with a warm voice', 'a woman with a bright voice'],
  ['liveliness', 'a calm woman', 'a lively woman'],
  ['accent', 'a British woman', 'an Indian woman'],
];

async function designs(report: Section, speaker: Speaker): Promise<void> {
  report.heading('Words of a description');
  const rows: (string | number)[][] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const [trait, one, other] of ENDS) {
    const [a, b] = [await designed(speaker, one), await designed(speaker, other)];
    const distance = apart(a, b);
    least = Math.min(least, distance);
    rows.push([trait, one, other, distance, a.hertz, b.hertz, 2 ** (a.pace - b.pace), a.colour - b.colour]);
  }
  report.table(
    ['trait', 'one end', 'the other', 'apart, steps', 'Hz', 'Hz', 'length, ratio', 'high against low, dB'],
    rows,
  );
  report.figure({
    name: 'words of a description: the trait whose ends are least apart',
    value: least,
    unit: 'noticeable steps',
    goal: { atLeast: 1 },
  });
}

const designed = (speaker: Speaker, description: string) =>
  measureEmotion(speaker, designVoices(description, 1, 7)[0]!);

export async function reportEmotions(report: Section, speaker: Speaker): Promise<void> {
  await emotions(report, speaker);
  await designs(report, speaker);
}
