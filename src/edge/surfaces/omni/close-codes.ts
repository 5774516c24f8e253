import type { EndReason } from '../../../conversation/session/index.ts';

export const OMNI_CLOSE_CODES: Record<EndReason, number> = {
  client_ended: 1000,
  client_gone: 1000,
  agent_ended: 1000,
  agent_stuck: 1000,
  hand_over: 1000,
  caller_idle: 1000,
  max_duration: 1000,
  brain_unavailable: 1011,
  engine_failed: 1011,
  credential_revoked: 4401,
  forbidden: 4403,
  cap_reached: 4429,
  protocol_violation: 1008,
  draining: 1001,
};

export const TOO_BIG = 1009;

export const LISTENER_CLOSES: Readonly<Record<number, EndReason>> = {
  1001: 'draining',
  [TOO_BIG]: 'protocol_violation',
  1011: 'engine_failed',
  4401: 'credential_revoked',
};
