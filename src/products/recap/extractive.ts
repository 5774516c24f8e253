import { compiledProgram } from '../../foundation/platform/project-root.ts';
import { runInThread } from '../../foundation/platform/threads.ts';
import { dayIn, READERS } from '../../language/capture/index.ts';
import { contentStems, sentencesOf } from '../../language/retrieval/index.ts';
import { type AgentLanguage, plainText, tokensOf } from '../../language/text/index.ts';
import { type Conversation, compilePhrase, findPhrase } from '../trace/index.ts';
import type { ActionItem, Outcome, RecapDraft, Statement } from './contract.ts';
import { languageOf } from './reading.ts';
import { sentimentByWords } from './sentiment.ts';

const SENTENCES = 3;
const TOPICS = 5;
const MOST = 20;

/** Phrases by which each side promises something. */
const PROMISES: Readonly<Record<AgentLanguage, readonly string[]>> = {
  en: ["I'll", 'I will', "we'll", 'we will', "I'm going to", 'I am going to'],
  es: ['voy a', 'vamos a', 'le enviaré', 'le enviaremos', 'le llamaré', 'le llamaremos'],
  fr: ['je vais', 'nous allons', 'on va', 'je vous envoie', 'je vous rappelle'],
  de: ['ich werde', 'wir werden', 'ich schicke', 'wir schicken', 'ich rufe Sie', 'wir rufen Sie'],
  hi: ['करूँगा', 'करूँगी', 'करेंगे', 'भेज दूँगा', 'भेज दूँगी', 'भेज देंगे'],
};
const compiled = new Map(
  Object.entries(PROMISES).map(([code, phrases]) => [code, phrases.map(compilePhrase)] as const),
);

interface SpokenSentence extends Statement {
  readonly utterance: number;
}

const PROGRAM = compiledProgram(import.meta.url, 'products/recap', 'extractive.js');
/** A shorter conversation takes a few milliseconds, so it needs no worker thread. */
const SHORT_CHARACTERS = 4_000;

/** Runs `extract`, on a worker thread for a long conversation. */
export async function extractApart(conversation: Conversation, tenant: string): Promise<RecapDraft> {
  const characters = conversation.utterances.reduce((sum, { text }) => sum + text.length + 20, 0);
  if (characters <= SHORT_CHARACTERS) return extract(conversation);
  return await runInThread(PROGRAM, extract.name, conversation, { tenant });
}

/** Builds the summary from sentences of the call. */
export function extract(conversation: Conversation): RecapDraft {
  const language = languageOf(conversation);
  const said = sentencesOfCall(conversation);
  const promises = said.filter(({ text }) => isPromise(text, language)).slice(0, MOST);
  const outcome: Outcome = outcomeOf(conversation, promises);
  return {
    by: 'extractive',
    summary: central(said, language).map(bare),
    topics: topicsOf(said, language),
    action_items: promises.map(
      (promise): ActionItem => ({
        ...bare(promise),
        owner: ownerOf(promise),
        due: dueIn(promise.text, language, conversation.startedAt),
      }),
    ),
    promises: promises.filter(({ speaker }) => speaker === 'agent').map(bare),
    unanswered_questions: unanswered(conversation, said).map(bare),
    sentiment: sentimentByWords(conversation, language),
    outcome,
    crm_fields: {},
    dropped: 0,
  };
}

const bare = ({ utterance: _place, ...statement }: SpokenSentence): Statement => statement;
const ownerOf = ({ speaker }: SpokenSentence) => (speaker === 'unknown' ? null : speaker);

/** Returns the day that the sentence names, relative to the day of the call; null for none or an ambiguous one. */
function dueIn(text: string, language: AgentLanguage, startedAt: number | null): string | null {
  if (startedAt === null) return null;
  return READERS.date({ text }, '', { language, today: dayIn('UTC', startedAt) }).value;
}

function sentencesOfCall({ utterances }: Conversation): SpokenSentence[] {
  return utterances.flatMap(({ text, speaker, startMs, endMs }, utterance) =>
    sentencesOf(text).map((sentence) => ({
      text: sentence,
      quote: sentence,
      speaker,
      start_ms: startMs,
      end_ms: endMs,
      utterance,
    })),
  );
}

function isPromise(text: string, language: AgentLanguage): boolean {
  const tokens = tokensOf(plainText(text));
  return (compiled.get(language) ?? []).some((phrase) => findPhrase(tokens, phrase, language).length > 0);
}

/** Returns the sentences whose words recur most, in the order of the call. */
function central(said: readonly SpokenSentence[], language: AgentLanguage): SpokenSentence[] {
  const counts = countsOf(said, language);
  const scored = said.map((one, place) => {
    const stems = [...new Set(contentStems(one.text, language))];
    const sum = stems.reduce((so, stem) => so + (counts.get(stem)?.count ?? 0), 0);
    return { one, place, score: stems.length < 2 ? 0 : sum / Math.sqrt(stems.length) };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, SENTENCES)
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
}

function countsOf(said: readonly SpokenSentence[], language: AgentLanguage) {
  const counts = new Map<string, { count: number; word: string }>();
  for (const { text } of said) {
    for (const word of text.match(/[\p{L}\p{M}]+/gu) ?? []) {
      const stem = contentStems(word, language)[0];
      if (stem === undefined || stem.length < 3) continue;
      const known = counts.get(stem);
      counts.set(stem, { count: (known?.count ?? 0) + 1, word: known?.word ?? word.toLowerCase() });
    }
  }
  return counts;
}

const topicsOf = (said: readonly SpokenSentence[], language: AgentLanguage): string[] =>
  [...countsOf(said, language).values()]
    .filter(({ word }) => !word.startsWith('redacted'))
    .sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1))
    .slice(0, TOPICS)
    .map(({ word }) => word);

/** Returns questions to which the other side said nothing more. */
function unanswered({ utterances }: Conversation, said: readonly SpokenSentence[]): SpokenSentence[] {
  const lastOf = new Map(utterances.flatMap(({ speaker, text }, at) => (text === '' ? [] : [[speaker, at]])));
  const isLast = ({ utterance, speaker }: SpokenSentence) =>
    [...lastOf].every(([other, last]) => other === speaker || last <= utterance);
  return said.filter((one) => isLast(one) && /[?？]["'”’»)]*$/u.test(one.text.trim())).slice(0, MOST);
}

function outcomeOf({ utterances }: Conversation, promises: readonly SpokenSentence[]): Outcome {
  if (!utterances.some(({ speaker }) => speaker !== 'agent')) return 'no_conversation';
  return promises.length > 0 ? 'follow_up' : 'unknown';
}
