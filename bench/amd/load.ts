import { type AmdEvent, amdLane, type Engine } from '../../src/media/engine/index.ts';
import { percentile, type Report } from '../harness/index.ts';
import { withEngine } from './evidence.ts';
import { Recordings } from './recordings.ts';
import { joined, overUlaw, samplesOf, silence } from './sound.ts';

const CALLS = 100;
const SECONDS = 10;
const CORES = 2;
const FRAME_MS = 20;

interface Load {
  readonly coresEach: number;
  /** The delay from giving a piece of audio to the lane until it has processed it. */
  readonly lateMs: readonly number[];
  readonly refused: number;
  readonly words: number;
}

export async function loadPart(report: Report, quick: boolean): Promise<void> {
  const sound = someCall();
  const calls = quick ? 20 : CALLS;
  const bare = await withEngine((engine) => load(engine, sound, calls, false));
  const worded = await withEngine((engine) => load(engine, sound, calls, true));
  report.heading('Calls at once');
  report.figure({
    name: 'a call without recognition',
    value: Math.round(10_000 * bare.coresEach) / 10,
    unit: 'thousandths of a core',
  });
  report.figure({
    name: 'calls at once on two cores before recognition is needed',
    value: Math.floor(CORES / bare.coresEach),
    unit: 'calls',
    goal: { atLeast: 100 },
  });
  const late = (of: Load, q: number): number => Math.round(percentile([...of.lateMs], q));
  report.text(
    `${calls} calls in real time for ${quick ? 3 : SECONDS} s. Without recognition a piece of sound was heard ${late(bare, 0.5)} ms after it came, ` +
      `p99 ${late(bare, 0.99)} ms; ${bare.refused} pieces found no room. With recognition p99 ${late(worded, 0.99)} ms, ` +
      `${worded.refused} found no room, and ${worded.words} texts came: hearing goes on, and words give way.`,
  );
}

function someCall(): Int16Array {
  const recordings = new Recordings();
  const prompts = recordings.prompts('held-out').slice(0, 8);
  return overUlaw(joined(...prompts.flatMap(({ path }) => [recordings.decode(path), silence(700)])));
}

async function load(engine: Engine, sound: Int16Array, calls: number, words: boolean): Promise<Load> {
  const lateMs: number[] = [];
  let texts = 0;
  let refused = 0;
  let began = 0;
  const heard = (event: AmdEvent): void => {
    if (event.kind === 'words') texts += 1;
    if (event.kind === 'clock') lateMs.push(performance.now() - began - event.atMs);
  };
  const lanes = Array.from({ length: calls }, () =>
    engine.open(amdLane, { codec: 'pcm16', words }, { event: heard, closed: () => undefined }),
  );
  const frame = samplesOf(FRAME_MS);
  const seconds = calls === CALLS ? SECONDS : 3;
  began = performance.now();
  const before = process.cpuUsage();
  for (let tick = 0; tick < (seconds * 1000) / FRAME_MS; tick++) {
    const wait = began + (tick + 1) * FRAME_MS - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    for (const [which, lane] of lanes.entries()) {
      const at = (((tick + which * 37) * frame) % (sound.length - frame)) & ~1;
      const piece = sound.subarray(at, at + frame);
      if (lane.push(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength)) === 'full')
        refused += 1;
    }
  }
  const { user, system } = process.cpuUsage(before);
  for (const lane of lanes) lane.drop();
  return { coresEach: (user + system) / 1e6 / seconds / calls, lateMs, refused, words: texts };
}
