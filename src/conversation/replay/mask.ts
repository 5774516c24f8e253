import { isAbbreviation } from '../session/index.ts';
import type { SessionTrace } from './trace.ts';

/** These fields hold names of the product and of the customer's own schema, and no words of a call. */
const NAMES: ReadonlySet<string> = new Set([
  'kind',
  'method',
  'methods',
  'tools',
  'name',
  'rule',
  'fault',
  'reason',
  'language',
  'as',
  'action',
  'brain',
  'timeZone',
  'grounding',
  'id',
  'stops',
  'meant',
]);

/** The numbers of these fields are times, counts and the session's own numbers. Any other is replaced by 0. */
const COUNTS: ReadonlySet<string> = new Set([
  'version',
  'events',
  'args',
  'of',
  'host',
  'speech',
  'segment',
  'turn',
  'utterance',
  'atMs',
  'startMs',
  'endMs',
  'asrMs',
  'playedMs',
  'totalMs',
  'spokenMs',
  'afterMs',
  'times',
  'odds',
  'value',
  'words',
  'messages',
  'promptTokens',
  'cachedTokens',
  'completionTokens',
  'seed',
  'temperature',
]);

/**
 * Replaces each letter by `x` and each digit by `0`. Lengths, punctuation and common abbreviations stay, because they
 * decide where an answer is divided: the masked trace replays like the call, and says nothing of what was said.
 */
export const maskTrace = (trace: SessionTrace): SessionTrace => ({
  ...(maskedValue(trace, '') as SessionTrace),
  isMasked: true,
});

function maskedValue(value: unknown, field: string): unknown {
  if (typeof value === 'string') return NAMES.has(field) ? value : maskText(value);
  if (typeof value === 'number') return COUNTS.has(field) ? value : 0;
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, field));
  if (typeof value !== 'object' || value === null) return value;
  const entry = value as Record<string, unknown>;
  const isEnd = entry.method === 'end' || entry.method === 'endWithFarewell';
  return Object.fromEntries(
    Object.entries(entry).map(([name, item]) => [name, isEnd ? item : maskedValue(item, name)]),
  );
}

export const maskText = (text: string): string =>
  text.replace(/\S+/g, (word) =>
    isAbbreviation(word)
      ? word
      : word
          .replace(/\p{Lu}/gu, 'X')
          .replace(/[\p{L}\p{M}]/gu, (letter) => (letter === 'X' ? 'X' : 'x'))
          .replace(/\p{N}/gu, '0'),
  );
