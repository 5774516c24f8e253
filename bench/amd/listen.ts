import { type AmdEvent, amdLane, type Engine } from '../../src/media/engine/index.ts';
import {
  type AnswerUpdate,
  type AnswerVerdict,
  Detection,
  type Evidence,
  type MessageEnd,
  type Models,
  type Tunables,
} from '../../src/speech/amd/index.ts';

export interface Recognized {
  readonly evidence: readonly Evidence[];
  readonly lengthMs: number;
  readonly readingMs: readonly number[];
}

const FRAME = 320; // 20 ms of PCM16 at 8 kHz
const FULL_MS = 4;

/**
 * Recognition takes no time on the lane's clock, which waits for it: the CPU time of the words is added to the time
 * at which they are known, and each recognition starts where the one before it has ended.
 */
export async function listen(engine: Engine, pcm: Int16Array, words = true): Promise<Recognized> {
  const evidence: Evidence[] = [];
  const readingMs: number[] = [];
  let freeMs = 0;
  const take = (event: AmdEvent): void => {
    if (event.kind === 'clock' || event.kind === 'fingerprint') return;
    if (event.kind !== 'words') {
      evidence.push(event);
      return;
    }
    const { tookMs, ...said } = event;
    freeMs = Math.max(freeMs, event.atMs) + Math.round(tookMs);
    readingMs.push(tookMs);
    evidence.push({ ...said, atMs: freeMs });
  };
  let over: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    over = resolve;
  });
  const lane = engine.open(
    amdLane,
    { codec: 'pcm16', words, wait: true },
    { event: take, closed: () => over() },
  );
  const bytes = new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  for (let at = 0; at < bytes.length; at += FRAME) {
    while (lane.push(bytes.subarray(at, at + FRAME)) === 'full')
      await new Promise((resolve) => setTimeout(resolve, FULL_MS));
  }
  lane.close();
  await closed;
  evidence.sort((one, other) => one.atMs - other.atMs);
  return { evidence, lengthMs: Math.round(pcm.length / 8), readingMs };
}

export interface Judged {
  readonly verdict: AnswerVerdict;
  readonly messageEnd: MessageEnd | null;
  readonly updates: readonly AnswerUpdate[];
}

const LOOK_MS = 96;

export function judge({ evidence, lengthMs }: Recognized, models: Models, tunables: Tunables): Judged {
  const updates: AnswerUpdate[] = [];
  let messageEnd: MessageEnd | null = null;
  const detection = new Detection(models, tunables, {
    verdict: () => undefined,
    messageEnd: (end) => {
      messageEnd = end;
    },
    update: (update) => updates.push(update),
  });
  let next = 0;
  for (let now = LOOK_MS; now <= lengthMs && !detection.done; now += LOOK_MS) {
    while (next < evidence.length && evidence[next]!.atMs <= now) detection.take(evidence[next++]!);
    detection.clock(now);
  }
  detection.end(lengthMs);
  return { verdict: detection.verdict!, messageEnd, updates };
}
