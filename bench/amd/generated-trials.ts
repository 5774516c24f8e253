import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/foundation/platform/project-root.ts';
import type { Answer } from '../../src/speech/amd/index.ts';
import type { Half, Recordings } from './recordings.ts';
import { chanceOf } from './seeded-chance.ts';
import { joined, silence } from './sound.ts';
import { busy, faxAnswer, faxCall, informationTone, reorder, ringback } from './tones.ts';
import { type Answering, callOf, type Trial } from './trial.ts';
import { type Spoken, spokenBefore, voicesOf } from './voices.ts';

type AnswerLabel =
  | 'human'
  | 'voicemail'
  | 'ivr'
  | 'receptionist'
  | 'screening'
  | 'dead_number'
  | 'hold'
  | 'pickup';

/**
 * The phrases were written before anything was fitted to them, by an author who had not read the detector's own
 * sentences.
 */
const PHRASES = JSON.parse(readFileSync(join(PROJECT_ROOT, 'bench/amd/phrases.json'), 'utf8')) as Record<
  AnswerLabel,
  Record<string, readonly string[]>
>;

export const phrasesOf = (said: AnswerLabel, lang: string, half: Half): readonly string[] =>
  (PHRASES[said][lang] ?? []).filter((_, at) => at % 2 === (half === 'fitted' ? 0 : 1));

/** This many voices say each phrase of the reported half; one is enough to fit by. */
const VOICES_OF: Readonly<Record<string, number>> = {
  human: 1,
  voicemail: 1,
  ivr: 1,
  receptionist: 2,
  screening: 2,
  dead_number: 2,
};
const SPOKEN_CLASSES = ['human', 'voicemail', 'ivr', 'receptionist', 'screening', 'dead_number'] as const;
/** Full mailboxes and similar greetings do not invite a message. */
const WITHOUT_BEEP = /full|don't leave|email|text me/i;
const FAXES = 16;
const UNANSWERED = 16;

interface TrialRequest extends Spoken {
  readonly name: string;
  readonly truth: (typeof SPOKEN_CLASSES)[number];
  readonly lang: string;
}

export function wantedSpeech(half: Half): TrialRequest[] {
  return SPOKEN_CLASSES.flatMap((truth) =>
    Object.keys(PHRASES[truth]).flatMap((lang) =>
      phrasesOf(truth, lang, half).flatMap((text, at) => {
        const voices = voicesOf(lang, half);
        const most = lang === 'en' && half === 'held-out' ? VOICES_OF[truth]! : 1;
        const count = Math.min(voices.length, most);
        return Array.from({ length: count }, (_, which) => {
          const voice = voices[(at * 5 + which * 3) % voices.length]!;
          return { name: `generated ${truth} ${lang} ${at} ${which}`, truth, lang, text, voice };
        });
      }),
    ),
  );
}

export function generatedTrials(recordings: Recordings, half: Half): Trial[] {
  return [
    ...wantedSpeech(half).flatMap((wanted) => spokenTrial(wanted, recordings, half)),
    ...toneTrials('fax', FAXES, fax, recordings, half),
    ...toneTrials('no_answer', UNANSWERED, unanswered, recordings, half),
  ];
}

function spokenTrial(
  { name, truth, lang, text, voice }: TrialRequest,
  recordings: Recordings,
  half: Half,
): Trial[] {
  const said = spokenBefore({ voice, text });
  if (said === null) return [];
  const chance = chanceOf(`manner of ${name}`);
  const tone = truth === 'dead_number' && chance.next() < 0.5;
  const before = tone ? joined(informationTone(chance), silence(chance.between(100, 600))) : silence(0);
  const answering: Answering = {
    voice: said,
    speech: true,
    beep: truth === 'voicemail' && !WITHOUT_BEEP.test(text),
    afterMs: 5000,
    before,
  };
  return [{ name, truth, lang, real: false, build: () => callOf(name, answering, half, recordings) }];
}

function toneTrials(
  truth: Answer,
  count: number,
  sound: (name: string, which: number) => Int16Array,
  recordings: Recordings,
  half: Half,
): Trial[] {
  return Array.from({ length: count }, (_, which) => {
    const name = `generated ${truth} ${half} ${which}`;
    const answering = () => ({ voice: sound(name, which), speech: false, beep: false, afterMs: 4000 });
    return {
      name,
      truth,
      lang: 'zxx',
      real: false,
      build: () => callOf(name, answering(), half, recordings),
    };
  });
}

function fax(name: string, which: number): Int16Array {
  const chance = chanceOf(name);
  return which % 2 === 0 ? faxAnswer(chance) : faxCall(chance);
}

function unanswered(name: string, which: number): Int16Array {
  const chance = chanceOf(name);
  if (which % 4 === 0) return silence(6000);
  if (which % 4 === 1) return ringback(9, chance);
  return which % 4 === 2 ? busy(chance) : reorder(chance);
}
