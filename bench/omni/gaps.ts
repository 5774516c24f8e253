/** From the last word of a caller to the first sound of the answer. */
import type { ScriptedBrain } from './brain.ts';
import type { Caller } from './caller.ts';
import { Caller as Connected } from './caller.ts';
import { agentSilent, pause } from './conversation.ts';
import type { Corpus } from './corpus.ts';
import type { Program } from './program.ts';
import { type Clip, FRAME, RATE } from './sound.ts';

const AUDIBLE_DBFS = -45;
/** What a scripted brain waits before its first word. */
const DELAYS = [0, 200, 600];

export interface Gap {
  readonly clip: string;
  /** The brain's own delay, as it was set. */
  readonly delayMs: number;
  /** At the caller's ear, without what the brain took after the caller's words were final. */
  readonly gapMs: number;
  /** The same with it. */
  readonly wholeMs: number;
  /** As the server tells them. */
  readonly parts: Record<string, number>;
}

export interface Gaps {
  readonly gaps: readonly Gap[];
  /** The agent spoke before the caller had finished. */
  readonly early: number;
  readonly unanswered: readonly string[];
}

export async function measureGaps(
  program: Program,
  brain: ScriptedBrain | null,
  corpus: Corpus,
  count: number,
): Promise<Gaps> {
  const clips = corpus.speech(
    ({ text, seconds }) => text.split(' ').length >= 3 && seconds >= 1 && seconds <= 6,
    count,
  );
  if (brain !== null) brain.answer = 'All right, I have noted that.';
  const caller = await Connected.connect(program.url, program.key, {
    persona: 'You take notes. We are open from nine to five. Parking is free behind the house.',
  });
  const gaps: Gap[] = [];
  const unanswered: string[] = [];
  let early = 0;
  for (const [at, clip] of clips.entries()) {
    const delayMs = brain === null ? 0 : (DELAYS[at % DELAYS.length] as number);
    if (brain !== null) brain.delayMs = delayMs;
    const gap = await ask(caller, brain, clip, delayMs);
    if (gap === 'early') early++;
    else if (gap === null) unanswered.push(clip.path);
    else gaps.push(gap);
    caller.control({ type: 'interrupt' });
    await agentSilent(caller, 300);
  }
  await caller.hangUp();
  return { gaps, early, unanswered };
}

async function ask(
  caller: Caller,
  brain: ScriptedBrain | null,
  clip: Clip,
  delayMs: number,
): Promise<Gap | 'early' | null> {
  const asked = brain?.asked.length ?? 0;
  const began = await caller.say(clip.samples);
  const end = began + clip.endMs;
  const sound = await firstSound(caller, began, end + 6_000);
  if (sound === null) return null;
  if (sound < end) return 'early';
  await pause(60);
  const turn = caller.controls.find(({ at, message }) => at >= began && message.event === 'turn')?.message;
  const final = caller.transcripts.find(({ at, role, final }) => at >= began && role === 'user' && final);
  const answered = brain?.asked[Math.max(asked, brain.asked.length - 1)]?.answeredAt;
  const brainMs = answered === undefined || final === undefined ? 0 : Math.max(0, answered - final.at);
  return {
    clip: clip.path,
    delayMs,
    gapMs: sound - end - brainMs,
    wholeMs: sound - end,
    parts: (turn?.latency_ms as Record<string, number> | undefined) ?? {},
  };
}

async function firstSound(caller: Caller, from: number, until: number): Promise<number | null> {
  while (performance.now() < until) {
    const sound = caller.ear.firstSound(from + (FRAME * 1000) / RATE, AUDIBLE_DBFS);
    if (sound !== null) return sound;
    await pause(10);
  }
  return null;
}
