import { AGENT_LANGUAGE_WORDS } from '../../language/text/index.ts';
import type { SessionSettings } from './contract.ts';

/**
 * The agent's own lines, which do not come from its brain. A text replaces the language's default and null
 * means silence.
 */
export interface SessionPhrases {
  readonly thinking?: string | null;
  readonly stillThere?: string | null;
  readonly apology?: string | null;
  readonly farewell?: string | null;
  readonly resumed?: string | null;
}

const DEFAULTS = {
  thinking: 'filler',
  stillThere: 'stillThere',
  apology: 'apology',
  farewell: 'farewell',
  resumed: 'resumed',
} as const;

export function phraseOf(
  { language, phrases }: Pick<SessionSettings, 'language' | 'phrases'>,
  name: keyof SessionPhrases,
): string | null {
  const own = phrases?.[name];
  return own === undefined ? AGENT_LANGUAGE_WORDS[language].phrases[DEFAULTS[name]] : own;
}
