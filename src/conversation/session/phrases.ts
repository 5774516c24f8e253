import { AGENT_LANGUAGE_WORDS } from '../../language/text/index.ts';
import type { SessionSettings } from './contract.ts';

/** What an agent says of itself, and not of its brain: text, or null for silence; left out: the language's own words. */
export interface SessionPhrases {
  readonly thinking?: string | null;
  readonly stillThere?: string | null;
  readonly apology?: string | null;
  readonly farewell?: string | null;
}

const DEFAULTS = {
  thinking: 'filler',
  stillThere: 'stillThere',
  apology: 'apology',
  farewell: 'farewell',
} as const;

/** Null: nothing is said. */
export function phraseOf(
  { language, phrases }: Pick<SessionSettings, 'language' | 'phrases'>,
  name: keyof SessionPhrases,
): string | null {
  const own = phrases?.[name];
  return own === undefined ? AGENT_LANGUAGE_WORDS[language].phrases[DEFAULTS[name]] : own;
}
