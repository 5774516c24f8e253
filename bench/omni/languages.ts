import {
  agentSilent,
  atVoiceLevel,
  clipOf,
  LINE_RATE,
  SimulatedCaller,
} from '../../src/apps/caller/index.ts';
import { wavOf } from '../harness/index.ts';
import type { Program } from './program.ts';
import { firstAudioMs } from './response-latency.ts';

interface Talk {
  readonly language: string;
  readonly spoken: string;
  readonly caller: string;
  readonly persona: string;
  readonly questions: readonly { readonly text: string; readonly answer: RegExp }[];
}

const ENGLISH = {
  spoken: 'en',
  caller: 'george_en_gb',
  persona: 'We open at nine in the morning. Parking is free behind the house.',
  questions: [
    { text: 'When do you open in the morning?', answer: /nine/i },
    { text: 'Is parking free?', answer: /free/i },
    { text: 'Do you repair bicycles?', answer: /don't have that/i },
  ],
} as const;

export const TALKS: readonly Talk[] = [
  { language: 'en', ...ENGLISH },
  {
    language: 'es',
    spoken: 'es',
    caller: 'alex_es_es',
    persona: 'Abrimos a las nueve de la mañana. El aparcamiento es gratuito.',
    questions: [
      { text: '¿A qué hora abren por la mañana?', answer: /nueve/i },
      { text: '¿El aparcamiento es gratuito?', answer: /gratuito/i },
      { text: '¿Reparan bicicletas?', answer: /no tengo/i },
    ],
  },
  {
    language: 'fr',
    spoken: 'fr',
    caller: 'siwis_fr_fr',
    persona: 'Nous ouvrons à neuf heures du matin. Le parking est gratuit.',
    questions: [
      { text: 'À quelle heure ouvrez-vous le matin ?', answer: /neuf/i },
      { text: 'Le parking est-il gratuit ?', answer: /gratuit/i },
      { text: 'Réparez-vous les vélos ?', answer: /pas cette information/i },
    ],
  },
  { language: 'de', ...ENGLISH },
  {
    language: 'hi',
    spoken: 'hi',
    caller: 'psi_hi_in',
    persona: 'हम सुबह नौ बजे खुलते हैं। पार्किंग मुफ़्त है।',
    questions: [
      { text: 'आप सुबह कितने बजे खुलते हैं?', answer: /नौ/ },
      { text: 'क्या पार्किंग मुफ़्त है?', answer: /मुफ़्त/ },
      { text: 'क्या आप साइकिल ठीक करते हैं?', answer: /जानकारी/ },
    ],
  },
];

export interface SpokenTurn {
  readonly language: string;
  readonly active: string;
  readonly fallback: boolean;
  readonly voice: string;
  readonly question: string;
  readonly heard: string;
  readonly answer: string;
  readonly sound: string;
  readonly gapMs: number | null;
  readonly right: boolean;
}

export async function measureLanguages(program: Program): Promise<SpokenTurn[]> {
  const turns: SpokenTurn[] = [];
  for (const talk of TALKS) {
    const { language, persona } = talk;
    const caller = await SimulatedCaller.connect(program.url, program.key, { language, persona });
    const configured = await caller.until(({ event }) => event === 'configured');
    for (const question of talk.questions) {
      const turn = await ask(program, caller, talk, question.text);
      turns.push({
        language,
        active: String(configured.language_active),
        fallback: configured.language_fallback === true,
        voice: String(configured.voice_id),
        question: question.text,
        ...turn,
        right: question.answer.test(turn.answer),
      });
    }
    await caller.hangUp();
  }
  return turns;
}

async function ask(program: Program, caller: SimulatedCaller, talk: Talk, text: string) {
  const spoken = await program.speak(text, talk.caller);
  if (spoken === null) throw new Error(`no voice ${talk.caller}`);
  const clip = atVoiceLevel(clipOf({ path: text, kind: 'generated question' }, spoken));
  const from = caller.playout.heard.length;
  const began = await caller.say(clip.samples);
  const end = began + clip.endMs;
  const sound = await firstAudioMs(caller, began, end + 15_000);
  await agentSilent(caller, 700);
  const said = (role: string): string =>
    caller.transcripts
      .filter((one) => one.at >= began && one.role === role && one.final)
      .map((one) => one.text)
      .join(' ');
  const pieces = caller.playout.heard
    .slice(from)
    .map(({ samples }) => Buffer.from(Int16Array.from(samples).buffer));
  const wav = wavOf(Buffer.concat(pieces), LINE_RATE);
  return {
    heard: said('user'),
    answer: said('agent'),
    sound: sound === null ? '' : await program.transcribe(wav, talk.spoken),
    gapMs: sound === null ? null : sound - end,
  };
}
