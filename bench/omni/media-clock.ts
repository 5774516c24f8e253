/** Whether the media clock keeps to the client's: one long speech, whose frames should come every 20 ms for ever. */
import type { ScriptedBrain } from './brain.ts';
import { Caller } from './caller.ts';
import { agentBegins, LONG_ANSWER, pause } from './conversation.ts';
import type { Corpus } from './corpus.ts';
import type { Program } from './program.ts';
import { type Clip, FRAME_MS } from './sound.ts';

const FRAMES_AN_HOUR = 180_000;
/** The earliest frame of each stretch tells the clock's course; later ones tell of the network. */
const STRETCH = 500;

export interface Drift {
  readonly minutes: number;
  readonly frames: number;
  /** Of the straight line through the earliest arrivals. */
  readonly framesAnHour: number;
  /** How far the truth may lie from it: three standard errors of the slope. */
  readonly bound: number;
}

export async function measureDrift(
  program: Program,
  brain: ScriptedBrain,
  corpus: Corpus,
  minutes: number,
): Promise<Drift> {
  brain.answer = Array(Math.ceil(minutes * 2.6))
    .fill(LONG_ANSWER)
    .join(' ');
  brain.delayMs = 0;
  const [question] = corpus.speech(({ text, seconds }) => text.split(' ').length >= 3 && seconds < 4, 1);
  const caller = await Caller.connect(program.url, program.key, { voice_id: 'joe_en_us' });
  await caller.say((question as Clip).samples);
  if ((await agentBegins(caller, 0)) === null) throw new Error('the agent does not speak');
  await pause(minutes * 60_000);
  const speaking = caller.ear.playing;
  await caller.hangUp();
  if (!speaking) throw new Error('the answer was too short for this measurement');
  return driftOf(caller.arrivals);
}

export function driftOf(arrivals: readonly number[]): Drift {
  const points: { x: number; y: number }[] = [];
  for (let at = 0; at + STRETCH <= arrivals.length; at += STRETCH) {
    const early = arrivals
      .slice(at, at + STRETCH)
      .map((arrival, i) => ({ x: (at + i) * FRAME_MS, y: arrival - (at + i) * FRAME_MS }))
      .reduce((first, point) => (point.y < first.y ? point : first));
    points.push(early);
  }
  const n = points.length;
  const mean = (pick: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / n;
  const [mx, my] = [mean(({ x }) => x), mean(({ y }) => y)];
  const sxx = points.reduce((sum, { x }) => sum + (x - mx) ** 2, 0);
  const slope = points.reduce((sum, { x, y }) => sum + (x - mx) * (y - my), 0) / sxx;
  const residual = points.reduce((sum, { x, y }) => sum + (y - my - slope * (x - mx)) ** 2, 0);
  const error = Math.sqrt(residual / Math.max(1, n - 2) / sxx);
  return {
    minutes: (arrivals.length * FRAME_MS) / 60_000,
    frames: arrivals.length,
    framesAnHour: slope * FRAMES_AN_HOUR,
    bound: 3 * error * FRAMES_AN_HOUR,
  };
}
