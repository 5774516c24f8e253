import { hasMorePartsThan } from '../../../foundation/platform/json-parts.ts';

export type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** The limit is far above a session with all its tools: a frame with a recording is long, but has a single string. */
const MAX_PARTS = 20_000;

const decoder = new TextDecoder();

export function readClientMessage(data: Uint8Array): Fields | null {
  const text = decoder.decode(data);
  if (hasMorePartsThan(MAX_PARTS, text)) return null;
  const value = jsonOr(text);
  return isFields(value) ? value : null;
}

export const NO_EVENT = `An event must be a text frame with a JSON object that has a type and at most ${MAX_PARTS} values.`;

export function jsonOr(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
