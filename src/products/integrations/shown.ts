import { adapterOf } from './adapters/index.ts';
import type { Destination } from './contract.ts';

const HIDDEN = '[secret]';

/** Shows the settings to their owner; of a secret only that it is set. */
export function shownSettings({ kind, settings }: Destination): Record<string, unknown> {
  const { secrets } = adapterOf(kind);
  const entries = Object.entries(settings).map(([name, value]) => [
    name,
    secrets.includes(name) ? hidden(value) : value,
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

const hidden = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.keys(value).map((name) => [name, HIDDEN]))
    : HIDDEN;
