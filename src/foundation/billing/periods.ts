/** A billing period is a UTC month (`2026-11`); a day is `2026-11-21`. The text sorts by time. */
export const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

export function nextMonth(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return monthOf(Date.UTC(year, number, 1));
}

export const startOfMonth = (month: string): number => Date.parse(`${month}-01T00:00:00Z`);

export const untilTomorrow = (at: number): number => Date.parse(`${dayOf(at)}T00:00:00Z`) + 86_400_000 - at;
