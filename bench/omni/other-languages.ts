/** Backchannels and other sounds in the other served languages. No caller here is in the training data. */

import { atVoiceLevel, clipOf, type SpeechClip } from '../../src/apps/caller/index.ts';
import { type Corpus, type Speaks, spread } from './corpus.ts';
import { type FalseInterruptionTrial, measureFalseInterruptions } from './false-interruptions.ts';
import type { Phrases } from './phrases.ts';
import type { Program } from './program.ts';
import { beginningsOf } from './speech-onsets.ts';

export const OTHER_LANGUAGES = [
  {
    language: 'es',
    name: 'Spanish',
    voices: ['dora_es_es', 'alex_es_es'],
    listening: [
      'Sí.',
      'Vale.',
      'Claro.',
      'De acuerdo.',
      'Ajá.',
      'Ya.',
      'Bien.',
      'Entiendo.',
      'Exacto.',
      'Mmm.',
      'Sí, sí.',
    ],
    saying: ['Perdón, una pregunta.', 'Siete.', 'Espera.', 'No, gracias.', '¿Cuándo?', 'Soy Carmen.'],
  },
  {
    language: 'fr',
    name: 'French',
    voices: ['siwis_fr_fr'],
    listening: [
      'Oui.',
      'D’accord.',
      'Je vois.',
      'Voilà.',
      'Ouais.',
      'Hmm.',
      'Bien.',
      'Bon.',
      'Exact.',
      'Ah oui.',
      'OK.',
    ],
    saying: ['Pardon ?', 'Attendez.', 'Sept.', 'Non, merci.', 'Et demain ?', 'Je suis Claire.'],
  },
  {
    language: 'hi',
    name: 'Hindi',
    voices: ['alpha_hi_in', 'psi_hi_in'],
    listening: ['हाँ।', 'जी।', 'अच्छा।', 'ठीक है।', 'हूँ।', 'सही।', 'ओके।', 'बिल्कुल।', 'जी हाँ।', 'हम्म।', 'हाँ हाँ।'],
    saying: ['रुकिए।', 'नहीं।', 'एक मिनट।', 'कल शाम को।', 'क्यों?', 'मेरा सवाल है।'],
  },
] as const;
export const SPEEDS: readonly number[] = [1, 1.2];
const REAL = 8;

export async function measureOtherLanguages(
  program: Program,
  corpus: Corpus,
  quick: boolean,
): Promise<FalseInterruptionTrial[]> {
  const trials: FalseInterruptionTrial[] = [];
  for (const one of OTHER_LANGUAGES) {
    const speeds = quick ? SPEEDS.slice(0, 1) : SPEEDS;
    const clips = await otherLanguageSet(program, corpus, one, one.voices, speeds);
    trials.push(
      ...(await measureFalseInterruptions(program, clips, { configure: { language: one.language } })),
    );
  }
  return trials;
}

export interface OtherLanguageResult extends Phrases {
  readonly language: string;
  readonly name: string;
}

export async function otherLanguageSet(
  by: Speaks,
  corpus: Corpus,
  { language, name, listening, saying }: OtherLanguageResult,
  voices: readonly string[],
  speeds: readonly number[],
): Promise<SpeechClip[]> {
  return [
    ...(await spoken(by, listening, voices, speeds, `generated backchannel in ${name}`)),
    ...(await spoken(by, saying, voices, [1], `generated interruption in ${name}`)),
    ...spread(
      corpus
        .speech(() => true, 100, language)
        .flatMap((clip) => beginningsOf(clip, 3))
        .map((clip) => ({ ...clip, kind: `real interruption in ${name}` })),
      REAL,
    ),
  ];
}

async function spoken(
  program: Speaks,
  texts: readonly string[],
  voices: readonly string[],
  speeds: readonly number[],
  kind: string,
): Promise<SpeechClip[]> {
  const clips: SpeechClip[] = [];
  for (const voice of voices) {
    for (const text of texts) {
      for (const speed of speeds) {
        const samples = await program.speak(text, voice, speed);
        if (samples === null) throw new Error(`no voice ${voice}`);
        const path = `${voice}: ${text}${speed === 1 ? '' : ` (${speed})`}`;
        clips.push(atVoiceLevel(clipOf({ path, text, kind }, samples)));
      }
    }
  }
  return clips;
}
