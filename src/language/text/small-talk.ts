import type { AgentLanguage, PhraseList } from './contract.ts';
import { AGENT_LANGUAGE_WORDS } from './languages.ts';
import { phraseAt, plainText, type Token, tokensOf } from './tokens.ts';

export type Intent = 'greet' | 'thank' | 'end' | 'hand_over' | 'repeat' | 'identity' | 'stop' | 'yes' | 'no';

/** The word "somebody" may follow "speak to" within this many tokens. */
const WINDOW = 5;

export function intentOf(said: string, language: AgentLanguage): Intent | null {
  const { smallTalk, consent } = AGENT_LANGUAGE_WORDS[language];
  const tokens = tokensOf(plainText(said));
  const whole = (...kinds: PhraseList[]): boolean => consistsOf(tokens, kinds.flat(), smallTalk.fillers);
  if (holds(tokens, smallTalk.identity)) return 'identity';
  if (asksForPerson(tokens, language)) return 'hand_over';
  if (whole(smallTalk.repeat)) return 'repeat';
  if (whole(smallTalk.thank)) return 'thank';
  if (holds(tokens, smallTalk.end) && whole(smallTalk.end, smallTalk.thank, smallTalk.greet)) return 'end';
  if (whole(smallTalk.greet)) return 'greet';
  if (whole(smallTalk.stop, consent.no)) return holds(tokens, smallTalk.stop) ? 'stop' : 'no';
  if (whole(consent.yes)) return 'yes';
  return whole(consent.no, smallTalk.thank) ? 'no' : null;
}

const holds = (tokens: readonly Token[], phrases: PhraseList): boolean =>
  tokens.some((_, at) => phraseAt(tokens, at, phrases) > 0);

function consistsOf(tokens: readonly Token[], phrases: PhraseList, fillers: PhraseList): boolean {
  let found = 0;
  for (let at = 0; at < tokens.length; ) {
    const length = phraseAt(tokens, at, phrases);
    const skipped = length > 0 ? 0 : phraseAt(tokens, at, fillers);
    if (length + skipped === 0) return false;
    found += length;
    at += length + skipped;
  }
  return found > 0;
}

const ARTICLES = new Set(
  'a an the some real live actual un una el la une le de einen eine einem den die mit to'.split(' '),
);

function asksForPerson(tokens: readonly Token[], language: AgentLanguage): boolean {
  const { connect, want, somebody, fillers } = AGENT_LANGUAGE_WORDS[language].smallTalk;
  if (consistsOf(tokens, somebody, [...fillers, ...ARTICLES])) return true;
  return tokens.some((_, at) => {
    const [asked, wanted] = [phraseAt(tokens, at, connect), phraseAt(tokens, at, want)];
    if (asked + wanted === 0 || isUnwanted(tokens, at, language)) return false;
    const behind = tokens.slice(at + Math.max(asked, wanted));
    const other = behind.findIndex(({ text }) => !ARTICLES.has(text));
    if (wanted > 0 && phraseAt(behind, other, somebody) > 0) return true;
    // Hindi and German can put the person before the verb.
    const near = language === 'hi' || language === 'de' ? clauseOf(tokens, at) : behind.slice(0, WINDOW);
    return asked > 0 && holds(near, somebody);
  });
}

const breaks = (token: Token | undefined): boolean => /[,;:.!?¿¡।…]/u.test(token?.gap ?? '');

function clauseOf(tokens: readonly Token[], at: number): readonly Token[] {
  let from = at;
  while (from > 0 && !breaks(tokens[from])) from--;
  const next = tokens.findIndex((token, index) => index > at && breaks(token));
  return tokens.slice(from, next < 0 ? tokens.length : next);
}

/** "I don't want to speak to a person" is a refusal; "can't I speak to one" is a request. */
function isUnwanted(tokens: readonly Token[], at: number, language: AgentLanguage): boolean {
  const { negation, polite } = AGENT_LANGUAGE_WORDS[language].consent;
  const clause = clauseOf(tokens, at);
  if (holds(clause, polite)) return false;
  const before = clause.slice(0, clause.indexOf(tokens[at] as Token));
  return holds(language === 'hi' || language === 'de' ? clause : before, negation);
}
