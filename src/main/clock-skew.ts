import type { ComponentHealth } from '../edge/server/index.ts';

/** Certificates, tokens and signatures of others are checked against this node's own clock. */
const MOST_SKEW_MS = 2_000;

export const skewNumbers = (skewMs: number | null): Record<string, number> =>
  skewMs === null ? {} : { skew_seconds: skewMs / 1000 };

/** A node with a wrong clock serves and reports it. */
export function clockParts(skewMs: number | null): ComponentHealth[] {
  if (skewMs === null) return [];
  const isWrong = Math.abs(skewMs) > MOST_SKEW_MS;
  const detail = `The clock of this machine is ${Math.abs(skewMs / 1000).toFixed(1)} s ${skewMs > 0 ? 'ahead of' : 'behind'} the database’s: synchronize it with NTP.`;
  return [{ name: 'clock', ready: true, required: false, ...(isWrong ? { degraded: true, detail } : {}) }];
}
