import { language, t } from '../i18n/index.ts';

const NOTHING = '–';

export function time(at: number | string | null | undefined): string {
  if (at === null || at === undefined) return NOTHING;
  return new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(at),
  );
}

export const weekday = (at: number): string =>
  new Intl.DateTimeFormat(language(), { weekday: 'short', day: 'numeric' }).format(new Date(at));

export const day = (at: number): string =>
  new Intl.DateTimeFormat(language(), { month: 'short', day: 'numeric' }).format(new Date(at));

export const hour = (at: number): string =>
  new Intl.DateTimeFormat(language(), { hour: 'numeric', minute: '2-digit' }).format(new Date(at));

export const number = (value: number | null | undefined, digits = 0): string =>
  value === null || value === undefined
    ? NOTHING
    : new Intl.NumberFormat(language(), { maximumFractionDigits: digits }).format(value);

/** A micro-unit is a millionth of the currency in which the operator bills. */
export const formatCurrency = (micros: number | null | undefined): string =>
  micros === null || micros === undefined
    ? NOTHING
    : new Intl.NumberFormat(language(), { minimumFractionDigits: 2, maximumFractionDigits: 4 }).format(
        micros / 1e6,
      );

export function length(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return NOTHING;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

export const percent = (part: number): string =>
  new Intl.NumberFormat(language(), { style: 'percent' }).format(part);

export const yesNo = (value: boolean): string => (value ? t('Yes') : t('No'));
export const orNothing = (value: unknown): string =>
  value === null || value === undefined || value === '' ? NOTHING : String(value);
