/** A call's sound through the engine's lane, as fast as the lane takes it, and what the detector makes of it. */
import {
  Detection,
  type Evidence,
  type MessageEnd,
  type Models,
  type Tunables,
  type Update,
  type Verdict,
} from '../../src/amd/index.ts';
import { type AmdEvent, amdLane, type Engine } from '../../src/engine/index.ts';

export interface Listened {
  readonly verdict: Verdict;
  readonly updates: readonly Update[];
  readonly messageEnd: MessageEnd | null;
  readonly evidence: readonly Evidence[];
  readonly greetingEndMs: number;
}

const FRAME = 320; // 20 ms of PCM16 at 8 kHz

/** `pcm`: 8 kHz. Sent at the pace of the media clock times `speed`; words are known when they are. */
export async function listen(
  engine: Engine,
  models: Models,
  tunables: Tunables,
  pcm: Int16Array,
  speed = 1,
): Promise<Listened> {
  const updates: Update[] = [];
  let messageEnd: MessageEnd | null = null;
  const detection = new Detection(models, tunables, {
    verdict: () => undefined,
    messageEnd: (end) => {
      messageEnd = end;
    },
    update: (update) => updates.push(update),
  });
  let nowMs = 0;
  let over: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    over = resolve;
  });
  const lane = engine.open(
    amdLane,
    { codec: 'pcm16' },
    {
      event: (event: AmdEvent) => {
        nowMs = event.atMs;
        if (event.kind === 'clock') detection.clock(event.atMs);
        else if (event.kind !== 'fingerprint') detection.take(event);
      },
      closed: () => over(),
    },
  );
  const bytes = new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  const began = performance.now();
  for (let at = 0; at < bytes.length && !detection.done; at += FRAME) {
    const due = began + at / 16 / speed;
    const wait = due - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    while (lane.push(bytes.subarray(at, at + FRAME)) === 'full')
      await new Promise((resolve) => setTimeout(resolve, 5));
  }
  lane.close();
  await closed;
  detection.end(Math.max(nowMs, Math.round(pcm.length / 8)));
  return { verdict: detection.verdict!, updates, messageEnd, evidence: detection.evidence, greetingEndMs: 0 };
}
