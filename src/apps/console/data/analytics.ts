import type { Json } from './api.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export function midnight(daysBack = 0): number {
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - daysBack);
  return day.getTime();
}

export const analyticsPath = (asked: Readonly<Record<string, string | number | undefined>>): string => {
  const query = Object.entries(asked)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value as string)}`);
  return `/v1/analytics/calls?${query.join('&')}`;
};

/** Returns null for a whole of 0. */
export const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

export const readable = (word: string): string => word.replaceAll('_', ' ');

export const costPerMinute = ({ cost_micros, duration_ms }: Json): number | null =>
  duration_ms === 0 ? null : cost_micros / (duration_ms / 60_000);
