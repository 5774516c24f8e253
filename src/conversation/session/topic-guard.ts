import { AGENT_LANGUAGE_WORDS, tokensOf } from '../../language/text/index.ts';
import type { BrainLanguage } from '../brains/index.ts';
import type { CallGuard, GuardRuling } from './answer-guard.ts';

/** Returns how alike a sentence is to the likest of others in meaning, up to 1; null where nothing can tell. */
export type SimilarityFunction = (
  text: string,
  others: readonly string[],
  language: BrainLanguage,
) => Promise<number | null>;

export interface AllowedTopics {
  /** The name that the record of a withheld answer has. */
  readonly rule: string;
  readonly about: readonly string[];
}

/** A shorter piece has too little meaning to be told from another topic. */
const LEAST_WORDS = 6;
/**
 * A piece that is less alike to all topics and to all small talk speaks of something else. Of 70 sentences of six
 * steps, these limits withheld 26 of the 30 that spoke of something else, and none of the others.
 */
const LEAST_TO_TOPICS = 0.18;
const LEAST_TO_SMALL_TALK = 0.25;

/** A person says such words whatever the topic is; meaning is judged in English alone. */
const SMALL_TALK: readonly string[] = [
  'Yes, of course.',
  'Please wait a moment.',
  'I will check that for you.',
  'I am sorry about that.',
  'Could you tell me more?',
  'Let us come back to your request.',
  'I cannot help with that here.',
  'Thank you for waiting.',
  'Can I do anything else for you?',
  'How can I help you?',
  'I did not understand you.',
  'You are welcome.',
  'Goodbye and have a nice day.',
  'I will connect you with a colleague.',
  'I am here to help you.',
];

/** Adds to a guard that an answer keeps to the allowed topics: the first piece of another topic ends it. */
export function keepingTo(
  { rule, about }: AllowedTopics,
  similarity: SimilarityFunction,
  guard: CallGuard | undefined,
): CallGuard {
  const offTopic = async (piece: string, language: BrainLanguage): Promise<GuardRuling | null> => {
    if (tokensOf(piece).length < LEAST_WORDS) return null;
    const toTopics = await similarity(piece, about, language);
    if (toTopics === null || toTopics >= LEAST_TO_TOPICS) return null;
    const toSmallTalk = await similarity(piece, SMALL_TALK, language);
    if (toSmallTalk === null || toSmallTalk >= LEAST_TO_SMALL_TALK) return null;
    return { kind: 'blocked', rule, instead: AGENT_LANGUAGE_WORDS[language].phrases.unknown };
  };
  return {
    spoken: (before, piece, language) => guard?.spoken(before, piece, language) ?? null,
    ...(guard?.heard === undefined ? {} : { heard: guard.heard }),
    meant: {
      stops: true,
      ask: async (piece, language) => {
        const [broken, elsewhere] = await Promise.all([
          guard?.meant?.ask(piece, language) ?? null,
          offTopic(piece, language),
        ]);
        return broken === null || broken.kind === 'flagged' ? (elsewhere ?? broken) : broken;
      },
    },
  };
}
