const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAY_MS = 24 * 3600 * 1000;

export type DateOrder = 'day_first' | 'month_first';

export function dateOf(text: string, order: DateOrder): string | null {
  const parts = text
    .toLowerCase()
    .replace(/(\d)(st|nd|rd|th)\b/g, '$1')
    .split(/[\s,./-]+/)
    .filter((part) => part !== '' && part !== 'of');
  if (parts.length !== 3) return null;
  const month = parts.findIndex((part) => monthOf(part) !== null);
  return month < 0 ? numeric(parts, order) : named(parts, month);
}

const monthOf = (part: string): number | null => {
  const at = MONTHS.indexOf(part.slice(0, 3));
  return at < 0 || /\d/.test(part) || part.length > 9 ? null : at + 1;
};

function named(parts: readonly string[], at: number): string | null {
  const month = monthOf(parts[at]!)!;
  const [one, other] = parts.filter((_part, index) => index !== at) as [string, string];
  if (/^\d{4}$/.test(one)) return isoDay(one, month, other);
  return isoDay(other, month, one);
}

function numeric([a, b, c]: readonly string[], order: DateOrder): string | null {
  if (/^\d{4}$/.test(a!)) return isoDay(a!, Number(b), c!);
  return order === 'day_first' ? isoDay(c!, Number(b), a!) : isoDay(c!, Number(a), b!);
}

function isoDay(year: string, month: number, day: string): string | null {
  if (!/^(\d{4}|\d{2})$/.test(year) || !/^\d{1,2}$/.test(day)) return null;
  const whole = year.length === 2 ? 2000 + Number(year) : Number(year);
  const at = new Date(Date.UTC(whole, month - 1, Number(day)));
  const real = at.getUTCMonth() === month - 1 && at.getUTCDate() === Number(day);
  return real && whole >= 1800 && whole <= 2200 ? at.toISOString().slice(0, 10) : null;
}

/** Whole days from a date to a time; negative for a date in the future. */
export const ageInDays = (isoDate: string, now: number): number =>
  Math.floor((now - Date.parse(`${isoDate}T00:00:00Z`)) / DAY_MS);
