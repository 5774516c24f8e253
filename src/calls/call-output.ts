import type { EndReason, SessionOutput } from '../session/index.ts';
import type { Degradations } from './call-end.ts';
import type { CallMetrics } from './call-metrics.ts';
import type { CallLine } from './contract.ts';

/** Where a session's words go: to the line; its steps into the record and the metrics, its end to the call. */
export const callOutput = (
  line: CallLine,
  degraded: Degradations,
  metrics: CallMetrics,
  ended: (reason: EndReason) => void,
): SessionOutput => ({
  audio: (pcm) => line.audio(pcm),
  transcript: (said) => line.transcript(said),
  bargeIn: (turnId, playedMs) => {
    metrics.bargeIn();
    line.bargeIn(turnId, playedMs);
  },
  speech: (kind, atMs) => line.speech(kind, atMs),
  guessed: (outcome, ms) => metrics.guessed(outcome, ms),
  spent: (turnId, cost) => degraded.spent(turnId, cost),
  turn: (turnId, latency) => {
    metrics.turn(latency);
    line.turn(turnId, latency);
  },
  degraded: (turnId, step, reason) => {
    metrics.degraded(step, reason);
    degraded.add(turnId, step, reason);
  },
  ended,
});
