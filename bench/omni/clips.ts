/** The sounds from which signs of listening are learnt (learn_listening.py), and those of the other half, to check it by. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Corpus, type Half, SAID_ALONE, SILENT_DBFS, VOICES } from './corpus.ts';
import { Program } from './program.ts';
import { atVoiceLevel, type Clip, clipOf, levelOf } from './sound.ts';

const FOLDER = join('build-bench', 'omni-clips');
const HALVES: readonly Half[] = ['development', 'held-out'];
/** What a trial of bench/omni plays, and more of its kind. */
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
const MORE_LISTENING = ['Mhm.', 'Yep.', 'Okay!', 'Right!', 'Oh, okay.', 'Great.', 'Good.', 'Exactly.'];
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
/** Among them many that begin as a sign of listening does. */
const MORE_SAYING = [
  'One hundred.',
  'Go back.',
  'Please stop.',
  'Hold on.',
  'Hello?',
  'Excuse me.',
  'My name is Anna.',
  'Maybe tomorrow.',
  'More, please.',
  'Mister Miller.',
  'I want to pay.',
  'I have a question.',
  'Oh no, not that.',
  'Old Street.',
  'Okinawa.',
  'Write it down.',
  'Riding lessons.',
  'Rice and beans.',
  'Are you open?',
  'All of them.',
  'Also the other one.',
  'Only on Monday.',
  'Show me the list.',
  'Short answer, please.',
  'She is not here.',
  'Yesterday.',
  'Yellow ones.',
  'You are wrong.',
  'Up to fifty.',
  'Another one.',
  'Got any more?',
  'Get me a person.',
  'But why?',
  'How much is that?',
  'Seven o two five.',
  'Twenty third.',
  'F L six.',
  'Erase that.',
  'Never mind.',
  'Cancel it.',
];
/** How fast a sign of listening is said: of one voice three speeds are more than one speaker. */
const SPEEDS = [0.85, 1, 1.2];
/** The other half only checks what was learnt: fewer voices will do for what they say. */
const CHECKED_SAYING_VOICES = 8;

/** What is known of each clip, for learning that leaves a voice out. */
interface Learnt {
  readonly half: Half;
  readonly kind: string;
  readonly who: string;
  readonly text: string;
  readonly file: string;
}

export async function writeClips(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const lines: string[] = [];
  const put = (half: Half, kind: string, clips: readonly Clip[]): void => {
    for (const { samples, path, text } of clips) {
      const file = `${lines.length}.raw`;
      writeFileSync(join(FOLDER, file), Buffer.from(Int16Array.from(samples).buffer));
      lines.push(JSON.stringify({ half, kind, who: path, text, file } satisfies Learnt));
    }
  };
  for (const half of HALVES) {
    const corpus = new Corpus(half);
    put(half, 'real listening', corpus.listening());
    put(
      half,
      'real saying',
      corpus.speech(({ text, seconds }) => seconds <= 10 && !SAID_ALONE.test(text), 400),
    );
  }
  const program = await Program.start({});
  try {
    for (const half of HALVES) {
      const learning = half === 'development';
      const voices = VOICES[half];
      const few = learning ? voices : voices.slice(0, CHECKED_SAYING_VOICES);
      for (const speed of learning ? SPEEDS : [1])
        put(half, 'generated listening', await spoken(program, LISTENING, voices, speed));
      put(half, 'generated saying', await spoken(program, SAYING, few));
      if (!learning) continue;
      put(half, 'generated listening', await spoken(program, MORE_LISTENING, voices));
      put(half, 'generated saying', await spoken(program, MORE_SAYING, voices));
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
  speed = 1,
): Promise<Clip[]> {
  const clips: Clip[] = [];
  for (const voice of voices) {
    for (const text of texts) {
      const samples = await program.speak(text, voice, speed);
      if (samples === null || levelOf(samples) <= SILENT_DBFS) continue;
      clips.push(atVoiceLevel(clipOf({ path: voice, text, kind: '' }, samples)));
    }
  }
  return clips;
}
