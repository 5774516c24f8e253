import type { EndReason, SessionOutput } from '../session/index.ts';
import { type Degradations, leftOutOf } from './call-end.ts';
import type { CallMetrics } from './call-metrics.ts';
import type { CallTransport, MonitoredCall } from './contract.ts';
import type { CallAudioPath } from './supervisable-calls.ts';

export const callOutput = (
  transport: CallTransport,
  path: Pick<CallAudioPath, 'fromAgent' | 'interrupted'>,
  degraded: Degradations,
  metrics: CallMetrics,
  watched: () => MonitoredCall | null,
  onProgress: () => void,
  ended: (reason: EndReason) => void,
): SessionOutput => ({
  audio: (pcm) => path.fromAgent(pcm),
  transcript: (said) => {
    watched()?.said(said.role, said.turnId, said.text, said.final);
    transport.transcript(said);
    if (said.final || said.role === 'agent') onProgress();
  },
  bargeIn: (turnId, playedMs) => {
    metrics.bargeIn();
    path.interrupted();
    transport.bargeIn(turnId, playedMs);
  },
  speech: (kind, atMs) => {
    watched()?.speech(kind);
    transport.speech(kind, atMs);
  },
  leftOut: (speech) => {
    degraded.leftOut.push(leftOutOf(speech));
    onProgress();
  },
  turnOver: (turnId, interrupted) => {
    transport.turnOver?.(turnId, interrupted);
    onProgress();
  },
  speculationResolved: (outcome, ms) => metrics.speculationResolved(outcome, ms),
  tokensUsed: (turnId, cost) => degraded.addTokenUsage(turnId, cost),
  turn: (turnId, latency) => {
    metrics.turn(latency);
    watched()?.turn(turnId, latency);
    transport.turn(turnId, latency);
  },
  handedOver: (rule) => transport.transfer('', `Trace handed the call over: ${rule}`),
  degraded: (turnId, step, reason, rule, withheld) => {
    metrics.degraded(step, reason);
    degraded.add(turnId, step, reason, rule, withheld);
  },
  ended: (reason) => {
    watched()?.over(reason);
    ended(reason);
  },
});
