import type { SpeechClip } from '../../src/apps/caller/index.ts';
import {
  agentHasSpoken,
  agentSilent,
  agentStartsSpeaking,
  type EchoPath,
  heardSince,
  LONG_ANSWER,
  pause,
  pauseUntil,
  SimulatedCaller,
} from '../../src/apps/caller/index.ts';
import { type Line, OWN_WORDS } from './interruptions.ts';
import type { Program } from './program.ts';
import { type Ducking, duckedMs, duckingsSince, joined, match } from './reference.ts';

const AFTERMATH_MS = 1_200;

export interface FalseInterruptionTrial {
  readonly kind: string;
  readonly clip: string;
  readonly cut: boolean;
  readonly cutMs: number | null;
  /** The time in which the agent was at a tenth of its level or less; null when not measured. */
  readonly loweredMs: number | null;
  readonly duckings?: readonly Ducking[] | null;
}

const isCut = ({ event }: { event: string }): boolean => event === 'barge_in';

interface Manner extends Line {
  readonly configure?: Record<string, unknown>;
  readonly lowered?: boolean;
  /** The agent's text differs each time, so that its voice is generated and not served from a cache. */
  readonly made?: boolean;
}

export async function measureFalseInterruptions(
  program: Program,
  clips: readonly SpeechClip[],
  { configure = {}, lowered = false, made = false, echo, millionths = 0 }: Manner = {},
): Promise<FalseInterruptionTrial[]> {
  const caller = await SimulatedCaller.connect(program.url, program.key, configure, { millionths });
  const reference = lowered ? await learnSpeech(caller) : null;
  caller.echo = echo ?? null;
  const trials: FalseInterruptionTrial[] = [];
  const left = [...clips];
  let from = caller.playout.heard.length;
  for (let clip = left.shift(); clip !== undefined; clip = left.shift()) {
    from = (await keepSpeaking(caller, made)) ?? from;
    const began = await caller.say(clip.samples);
    const end = began + clip.samples.length / 8;
    const cut = await caller.next(isCut, began, end + AFTERMATH_MS);
    await pauseUntil(end + 300);
    // A sound after the end of the speech cannot interrupt it, and the answer to the sound is another speech: the
    // clip is played again.
    if (cut === null && (speechEnded(caller, began) || !caller.playout.playing)) {
      left.unshift(clip);
      await beSilent(caller, end);
      continue;
    }
    const at = caller.controls.find(({ message }) => message === cut)?.at;
    const cutMs = at === undefined ? null : at - began - clip.startMs;
    const found = reference === null ? null : match(heardSince(caller, from), reference);
    const duckings = found && duckingsSince(found, began, began + clip.startMs);
    trials.push({
      kind: clip.kind,
      clip: clip.path,
      cut: cut !== null,
      cutMs,
      loweredMs: found && duckedMs(found, began, at ?? end + 300),
      duckings,
    });
    if (cut !== null || duckings?.some(({ forMs }) => forMs === null)) await beSilent(caller, end);
  }
  await caller.hangUp();
  return trials;
}

const speechEnded = ({ transcripts }: SimulatedCaller, since: number): boolean =>
  transcripts.some(({ at, role, final }) => at >= since && role === 'agent' && final);

async function beSilent(caller: SimulatedCaller, soundEnd: number): Promise<void> {
  await pauseUntil(soundEnd + AFTERMATH_MS);
  caller.control({ type: 'interrupt' });
  await agentSilent(caller, 600);
}

async function learnSpeech(caller: SimulatedCaller): Promise<Int16Array> {
  const from = (await keepSpeaking(caller)) as number;
  await agentSilent(caller, 400, 90_000);
  return joined(heardSince(caller, from));
}

export interface EchoTrial extends EchoPath {
  readonly seconds: number;
  readonly cuts: number;
}

export async function measureEcho(
  program: Program,
  echoes: readonly EchoPath[],
  seconds: number,
): Promise<EchoTrial[]> {
  const trials: EchoTrial[] = [];
  for (const echo of echoes) {
    const caller = await SimulatedCaller.connect(program.url, program.key, {});
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

async function keepSpeaking(caller: SimulatedCaller, made = false): Promise<number | null> {
  if (caller.playout.playing) return null;
  const from = caller.playout.heard.length;
  caller.control({ type: 'say', text: made ? OWN_WORDS.replaceAll('#', String(from)) : LONG_ANSWER });
  const begun = await agentStartsSpeaking(caller, from);
  if (begun === null) throw new Error('the agent does not speak');
  await agentHasSpoken(caller, begun, 700);
  return begun;
}
