/**
 * Checks whether the media clock keeps to the client's: the record has the time at which each speech began to play,
 * the client the time at which it came.
 */
import {
  agentSilent,
  agentStartsSpeaking,
  FRAME_MS,
  pause,
  SimulatedCaller,
} from '../../src/apps/caller/index.ts';
import type { Program } from './program.ts';

const BETWEEN_MS = 6_000;
/**
 * The earliest of this many consecutive speeches shows the drift of the clock; the others show the load of the
 * machine.
 */
const STRETCH = 6;
const MS_AN_HOUR = 3_600_000;

export interface Moment {
  readonly cameMs: number;
  readonly beganMs: number;
}

export interface Drift {
  readonly minutes: number;
  readonly speeches: number;
  readonly framesAnHour: number;
  /** The bound is three standard errors of the slope. */
  readonly bound: number;
}

export async function measureDrift(program: Program, minutes: number): Promise<Drift> {
  const caller = await SimulatedCaller.connect(program.url, program.key, { voice_id: 'joe_en_us' });
  const came: number[] = [];
  const until = performance.now() + minutes * 60_000;
  while (performance.now() < until) {
    const from = caller.playout.heard.length;
    caller.control({ type: 'say', text: 'It is noted.' });
    const begun = await agentStartsSpeaking(caller, from);
    const first = begun === null ? undefined : caller.playout.heard[begun];
    if (first === undefined) throw new Error('the agent does not speak');
    came.push(first.at);
    await agentSilent(caller, 300);
    await pause(BETWEEN_MS);
  }
  const { call_id: id } = await caller.until(({ event }) => event === 'configured');
  await caller.hangUp();
  const began = await program.agentStarts(String(id));
  if (began.length !== came.length)
    throw new Error(`${came.length} speeches came, ${began.length} are recorded`);
  return driftOf(came.map((cameMs, at) => ({ cameMs, beganMs: began[at] as number })));
}

export function driftOf(moments: readonly Moment[]): Drift {
  const points: { x: number; y: number }[] = [];
  for (let at = 0; at + STRETCH <= moments.length; at += STRETCH) {
    const late = moments
      .slice(at, at + STRETCH)
      .map(({ cameMs, beganMs }) => ({ x: cameMs, y: cameMs - beganMs }));
    points.push(late.reduce((first, point) => (point.y < first.y ? point : first)));
  }
  const { slope, error } = lineThrough(points);
  const first = moments[0]?.cameMs ?? 0;
  return {
    minutes: ((moments.at(-1)?.cameMs ?? first) - first) / 60_000,
    speeches: moments.length,
    framesAnHour: (slope * MS_AN_HOUR) / FRAME_MS,
    bound: (3 * error * MS_AN_HOUR) / FRAME_MS,
  };
}

function lineThrough(points: readonly { x: number; y: number }[]): { slope: number; error: number } {
  const n = points.length;
  const mean = (of: readonly number[]) => of.reduce((sum, value) => sum + value, 0) / n;
  const [mx, my] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))];
  const sxx = points.reduce((sum, { x }) => sum + (x - mx) ** 2, 0);
  const slope = points.reduce((sum, { x, y }) => sum + (x - mx) * (y - my), 0) / sxx;
  const residual = points.reduce((sum, { x, y }) => sum + (y - my - slope * (x - mx)) ** 2, 0);
  return { slope, error: Math.sqrt(residual / Math.max(1, n - 2) / sxx) };
}
