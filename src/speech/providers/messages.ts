import { ProviderError } from './contract.ts';

/** Throws ProviderError where the host's message is not a JSON object. */
export function messageOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said === 'object' && said !== null) return said as Record<string, unknown>;
  } catch {}
  throw new ProviderError('garbage', 'the provider sent a message that is not a JSON object');
}

/** Repeats texts alone, because the conversion of a host's object to a text can throw. */
export const textOr = (value: unknown, other: string): string => (typeof value === 'string' ? value : other);
