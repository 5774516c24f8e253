import type { Metrics } from '../../foundation/platform/metrics.ts';
import type { omni } from '../../media/wire/index.ts';
import type { DegradedReason, DegradedStep, TurnLatency } from '../session/index.ts';

export interface CallMetrics {
  ended(reason: omni.EndReason): void;
  turn(latency: TurnLatency): void;
  degraded(step: DegradedStep, reason: DegradedReason): void;
  bargeIn(): void;
  voiceUnderLoadUsed(): void;
  speculationResolved(outcome: 'used' | 'discarded', ms: number): void;
}

export function createCallMetrics(metrics: Metrics): CallMetrics {
  const ended = metrics.addCounter('trunkline_omni_calls_total', 'Calls that have ended, by reason.', [
    'reason',
  ]);
  const gap = metrics.addHistogram(
    'trunkline_omni_gap_seconds',
    "From the caller's last word to the answer's first sample, and its parts.",
    ['part'],
  );
  const degraded = metrics.addCounter(
    'trunkline_omni_degraded_total',
    'What callers heard instead of an answer, or whose answer it was.',
    ['step', 'reason'],
  );
  const bargeIn = metrics.addCounter('trunkline_omni_barge_ins_total', 'Callers who cut the agent off.', []);
  const gaveWay = metrics.addCounter(
    'trunkline_omni_voices_gave_way_total',
    'Calls that began with the Standard voice that their owners allow under load.',
    [],
  );
  const guesses = metrics.addHistogram(
    'trunkline_omni_guess_seconds',
    'How long models had worked on answers that were begun on a guess, when those were used or thrown away.',
    ['outcome'],
  );
  return {
    ended,
    speculationResolved: (outcome, ms) => guesses(ms / 1000, outcome),
    turn: (latency) => {
      for (const [part, ms] of Object.entries(latency)) gap(ms / 1000, part);
    },
    degraded,
    bargeIn,
    voiceUnderLoadUsed: gaveWay,
  };
}
