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

type Add<Args extends unknown[]> = (name: string, help: string) => (...args: Args) => void;

/** Dashboards of version 0.1 query the former name. */
function withFormerName<Args extends unknown[]>(add: Add<Args>, name: string, former: string, help: string) {
  const both = [add(name, help), add(former, `The former name of ${name}. The next version removes it.`)];
  return (...args: Args): void => {
    for (const record of both) record(...args);
  };
}

export function createCallMetrics(metrics: Metrics): CallMetrics {
  const ended = metrics.addCounter('trunkline_omni_calls_total', 'Number of ended calls, by reason.', [
    'reason',
  ]);
  const responseLatency = withFormerName<[seconds: number, part: string]>(
    (name, help) => metrics.addHistogram(name, help, ['part']),
    'trunkline_omni_response_latency_seconds',
    'trunkline_omni_gap_seconds',
    "Response latency from the end of the caller's speech to the first sample of the answer, by part.",
  );
  const degraded = metrics.addCounter(
    'trunkline_omni_degraded_total',
    'Number of turns without a regular answer, by fallback and reason.',
    ['step', 'reason'],
  );
  const bargeIn = metrics.addCounter('trunkline_omni_barge_ins_total', 'Interruptions of the agent.', []);
  const voiceFallback = withFormerName<[]>(
    (name, help) => metrics.addCounter(name, help, []),
    'trunkline_omni_voice_fallbacks_total',
    'trunkline_omni_voices_gave_way_total',
    'Number of calls that used the Standard fallback voice because of load.',
  );
  const speculation = withFormerName<[seconds: number, outcome: string]>(
    (name, help) => metrics.addHistogram(name, help, ['outcome']),
    'trunkline_omni_speculation_seconds',
    'trunkline_omni_guess_seconds',
    'Time that language models worked on speculative answers, by whether the answers were used or discarded.',
  );
  return {
    ended,
    speculationResolved: (outcome, ms) => speculation(ms / 1000, outcome),
    turn: (latency) => {
      for (const [part, ms] of Object.entries(latency)) responseLatency(ms / 1000, part);
    },
    degraded,
    bargeIn,
    voiceUnderLoadUsed: voiceFallback,
  };
}
