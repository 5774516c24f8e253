import { t } from '../i18n/index.ts';
import type { Json } from './api.ts';

const NAMES: Readonly<Record<string, string>> = {
  agents_beta: t('Agents'),
  amd: t('Answering machines'),
  hear: t('Recognition'),
  hear_async: t('Transcription jobs'),
  messages: t('Messages'),
  omni: t('Calls'),
  speak: t('Speech'),
  telephony: t('Telephone calls'),
};

export const meterName = (meter: string): string => NAMES[meter] ?? meter;

const unitsOf = (unit: string, row: Json): number =>
  unit === 'second' ? row.milliseconds / 1000 : unit === 'call_minute' ? row.call_minutes : row.calls;

/** Returns what each use cost at the price of its month, before free units. Only live use has a price. */
export function pricedBy(invoices: readonly Json[]): (use: Json) => number {
  const lines = new Map<string, Json>();
  for (const { period, lines: all } of invoices)
    for (const line of all) lines.set(`${period} ${line.meter}`, line);
  return (use) => {
    const line = lines.get(`${use.day.slice(0, 7)} ${use.meter}`);
    if (line === undefined) return 0;
    return (unitsOf(line.unit, use) / line.price_per_units) * line.unit_price_micros;
  };
}
