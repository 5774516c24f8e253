export interface CompandingLine {
  kind: 'g711';
  op: string;
  size: number;
  who: string;
  ns: number;
}

export interface SpeedLine {
  kind: 'speed';
  from: number;
  to: number;
  int16: boolean;
  who: string;
  ns: number;
}

export interface QualityLine {
  kind: 'quality';
  from: number;
  to: number;
  who: string;
  delay_ms: number;
  ripple_low: number;
  ripple_high: number;
  beyond_1_0: number;
  beyond_1_1: number;
  gains: [hertz: number, db: number][];
}

export interface StageLine {
  kind: 'stage';
  op: string;
  who: string;
  ns: number;
}

export const PEERS = ['soxr', 'speexdsp', 'libsamplerate', 'swresample', 'spandsp'] as const;

export function peerOf(who: string): string | null {
  return PEERS.find((peer) => who.startsWith(peer)) ?? null;
}

export function fastest<Line extends { ns: number }>(lines: readonly Line[]): Line | undefined {
  return lines.reduce<Line | undefined>(
    (best, line) => (best && best.ns <= line.ns ? best : line),
    undefined,
  );
}
