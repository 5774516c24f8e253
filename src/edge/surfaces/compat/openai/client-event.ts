import { hasMorePartsThan } from '../../../../foundation/platform/json-parts.ts';

/** The limit is far above a session with all its tools: a frame with a recording is long, but has a single string. */
const MAX_PARTS = 20_000;

const decoder = new TextDecoder();

export function readClientEvent(data: Uint8Array): Readonly<Record<string, unknown>> | null {
  const text = decoder.decode(data);
  if (hasMorePartsThan(MAX_PARTS, text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

export const NO_EVENT = `An event is a JSON object with a type and at most ${MAX_PARTS} values, in a text frame.`;
