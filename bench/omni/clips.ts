/** The sounds from which signs of listening are learnt (learn_listening.py), and those of the other half, to check it by. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Corpus, type Half, SAID_ALONE, VOICES } from './corpus.ts';
import { Program } from './program.ts';
import { atVoiceLevel, type Clip, clipOf } from './sound.ts';

const FOLDER = join('build-bench', 'omni-clips');
const HALVES: readonly Half[] = ['development', 'held-out'];
const LISTENING = [
  'Mm-hmm.',
  'Right.',
  'Okay.',
  'Uh-huh.',
  'Yeah.',
  'I see.',
  'Sure.',
  'Alright.',
  'Yes.',
  'Got it.',
];
const SAYING = [
  'Stop.',
  'Wait a moment.',
  'No, that is wrong.',
  'I said Tuesday.',
  'Sorry?',
  'Can you repeat that?',
  'What time is it?',
  'Help.',
  'Actually, I need two.',
  'I seem to have lost it.',
];
/** Of each half, for what they say. */
const SAYING_VOICES = 8;

export async function writeClips(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const lines: string[] = [];
  const put = (half: Half, kind: string, clips: readonly Clip[]): void => {
    for (const { samples } of clips) {
      const file = `${lines.length}.raw`;
      writeFileSync(join(FOLDER, file), Buffer.from(Int16Array.from(samples).buffer));
      lines.push(JSON.stringify({ half, kind, file }));
    }
  };
  const program = await Program.start({});
  try {
    for (const half of HALVES) {
      const corpus = new Corpus(half);
      put(half, 'real listening', corpus.listening());
      put(
        half,
        'real saying',
        corpus.speech(({ text, seconds }) => seconds <= 3 && !SAID_ALONE.test(text), 400),
      );
      put(half, 'generated listening', await spoken(program, LISTENING, VOICES[half]));
      put(half, 'generated saying', await spoken(program, SAYING, VOICES[half].slice(0, SAYING_VOICES)));
    }
  } finally {
    await program.stop();
  }
  writeFileSync(join(FOLDER, 'clips.jsonl'), `${lines.join('\n')}\n`);
}

async function spoken(
  program: Program,
  texts: readonly string[],
  voices: readonly string[],
): Promise<Clip[]> {
  const clips: Clip[] = [];
  for (const voice of voices) {
    for (const text of texts) {
      const samples = await program.speak(text, voice);
      if (samples !== null)
        clips.push(atVoiceLevel(clipOf({ path: `${voice}: ${text}`, text, kind: '' }, samples)));
    }
  }
  return clips;
}
