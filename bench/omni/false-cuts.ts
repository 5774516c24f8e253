/** Sounds under the agent's voice that are no interruption: signs of listening, noises, the agent's own echo. */
import { Caller, type Echo } from './caller.ts';
import { agentBegins, agentHasSpoken, LONG_ANSWER, pause, pauseUntil } from './conversation.ts';
import type { Program } from './program.ts';
import { atVoiceLevel, type Clip, clipOf } from './sound.ts';

/** An endpoint and its decode later, nothing more comes of a sound. */
const AFTERMATH_MS = 1_200;

export interface FalseCutTrial {
  readonly kind: string;
  readonly clip: string;
  readonly cut: boolean;
}

const isCut = ({ event }: { event: string }): boolean => event === 'barge_in';

export async function measureFalseCuts(
  program: Program,
  clips: readonly Clip[],
  configure: Record<string, unknown> = {},
): Promise<FalseCutTrial[]> {
  const caller = await Caller.connect(program.url, program.key, configure);
  const trials: FalseCutTrial[] = [];
  for (const clip of clips) {
    await keepSpeaking(caller);
    const began = await caller.say(clip.samples);
    const end = began + clip.samples.length / 8;
    const cut = await caller.next(isCut, began, end + AFTERMATH_MS);
    await pauseUntil(end + 300);
    trials.push({ kind: clip.kind, clip: clip.path, cut: cut !== null });
  }
  await caller.hangUp();
  return trials;
}

/** What listeners say elsewhere, and the voices that say it here. No setting was made by them. */
const ELSEWHERE = [
  {
    language: 'es',
    name: 'Spanish',
    voices: ['dora_es_es', 'alex_es_es'],
    said: ['Sí.', 'Vale.', 'Claro.', 'De acuerdo.'],
  },
  {
    language: 'fr',
    name: 'French',
    voices: ['siwis_fr_fr'],
    said: ['Oui.', 'D’accord.', 'Je vois.', 'Voilà.'],
  },
  {
    language: 'hi',
    name: 'Hindi',
    voices: ['alpha_hi_in', 'psi_hi_in'],
    said: ['हाँ।', 'जी।', 'अच्छा।', 'ठीक है।'],
  },
] as const;

/** Signs of listening in the other languages that are served: each in a call in its language. */
export async function measureElsewhere(program: Program): Promise<FalseCutTrial[]> {
  const trials: FalseCutTrial[] = [];
  for (const { language, name, voices, said } of ELSEWHERE) {
    const clips: Clip[] = [];
    for (const voice of voices) {
      for (const text of said) {
        const samples = await program.speak(text, voice);
        if (samples === null) throw new Error(`no voice ${voice}`);
        const clip = clipOf(
          { path: `${voice}: ${text}`, text, kind: `generated backchannel in ${name}` },
          samples,
        );
        clips.push(atVoiceLevel(clip));
      }
    }
    trials.push(...(await measureFalseCuts(program, clips, { language })));
  }
  return trials;
}

export interface EchoTrial extends Echo {
  readonly seconds: number;
  readonly cuts: number;
}

/** The agent speaks and hears itself come back. */
export async function measureEcho(
  program: Program,
  echoes: readonly Echo[],
  seconds: number,
): Promise<EchoTrial[]> {
  const trials: EchoTrial[] = [];
  for (const echo of echoes) {
    const caller = await Caller.connect(program.url, program.key, {});
    caller.echo = echo;
    await keepSpeaking(caller);
    const until = performance.now() + seconds * 1000;
    while (performance.now() < until) {
      await keepSpeaking(caller);
      await pause(200);
    }
    trials.push({ ...echo, seconds, cuts: caller.controls.filter(({ message }) => isCut(message)).length });
    await caller.hangUp();
  }
  return trials;
}

/** The agent has been speaking for a while when this resolves. */
async function keepSpeaking(caller: Caller): Promise<void> {
  if (caller.ear.playing) return;
  const from = caller.ear.heard.length;
  caller.control({ type: 'say', text: LONG_ANSWER });
  const begun = await agentBegins(caller, from);
  if (begun === null) throw new Error('the agent does not speak');
  await agentHasSpoken(caller, begun, 700);
}
