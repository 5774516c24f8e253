import { readable } from '../data/analytics.ts';
import type { Json } from '../data/api.ts';
import { language, t } from '../i18n/index.ts';

/** Day 1 is Monday; 2024-01-01 was one. */
const dayName = (day: number): string =>
  new Intl.DateTimeFormat(language(), { weekday: 'short', timeZone: 'UTC' }).format(
    new Date(Date.UTC(2024, 0, day)),
  );

export function callingHours({ from, to, days }: Json): string {
  const hours = `${from}–${to}`;
  return days ? `${hours}, ${days.map(dayName).join(' ')}` : hours;
}

/** Says why a campaign that runs calls nobody. */
export function waitingText(campaign: Json, { waiting, calling }: Json): string | null {
  const { state, waiting_for, paused_reason, windows } = campaign;
  if (state === 'paused' && paused_reason)
    return t('It was paused by the server: {why}.', { why: readable(paused_reason) });
  if (state !== 'running' || waiting === 0 || calling > 0) return null;
  if (waiting_for)
    return t('It calls nobody at the moment: {why}. It goes on by itself.', { why: readable(waiting_for) });
  if (windows === null) return null;
  return t('People are called at these hours of their own time zone: {hours}. Outside of them they wait.', {
    hours: callingHours(windows),
  });
}

const REFUSALS: Readonly<Record<string, string>> = {
  no_consent: t(
    'No consent to be called is recorded. Tick “Each of them agreed to be called” when you add people, or record it under Trace.',
  ),
  unknown_time_zone: t(
    'The time zone of the number is not known, so nobody can say whether it is night there. Quiet hours are set under Trace.',
  ),
  quiet_hours: t('It is night where the number is. Quiet hours are set under Trace.'),
  suppressed: t('The number is on the do-not-call list.'),
  too_many_attempts: t('The number was called as often as Trace allows.'),
};

export const refusalText = (code: string): string | null => REFUSALS[code.trim()] ?? null;
