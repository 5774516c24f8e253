import type { BrainLanguage } from '../contract.ts';
import { PHRASES } from './phrases.ts';

const SPOKEN_FIELDS = ['message', 'say', 'answer', 'text', 'summary', 'confirmation', 'result'];
const MAX_FIELDS = 4;

/** What a tool's result sounds like: its own words where it brings some, else its plain fields, else that it is done. */
export function speakResult(content: string, language: BrainLanguage): string {
  const phrases = PHRASES[language];
  const result = parse(content);
  if (result === undefined || result === '') return content.trim() || phrases.toolDone;
  if (typeof result === 'string' || typeof result === 'number') return String(result);
  if (typeof result === 'boolean') return result ? phrases.toolDone : phrases.toolFailed;
  if (result === null) return phrases.toolDone;
  if (Array.isArray(result)) return listed(result) ?? phrases.toolDone;
  const fields = result as Record<string, unknown>;
  // Many say in each result that there was no error.
  if (fields.error) return phrases.toolFailed;
  for (const name of SPOKEN_FIELDS) {
    if (typeof fields[name] === 'string' && fields[name].trim() !== '') return fields[name].trim();
  }
  const spoken: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (name !== 'error' && isPlain(value) && spoken.length < MAX_FIELDS)
      spoken.push(`${opened(name)}: ${spokenValue(value, language)}`);
  }
  return spoken.length === 0 ? phrases.toolDone : capitalized(`${spoken.join(', ')}.`);
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function listed(values: readonly unknown[]): string | null {
  const plain = values.filter(isPlain).slice(0, MAX_FIELDS);
  return plain.length === 0 ? null : `${plain.join(', ')}.`;
}

const opened = (name: string): string =>
  name
    .replaceAll(/[_-]/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const spokenValue = (value: string | number | boolean, language: BrainLanguage): string =>
  typeof value === 'boolean' ? (value ? PHRASES[language].yes : PHRASES[language].no) : String(value);
