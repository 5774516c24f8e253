import {
  PII_ENTITIES,
  type PiiEntity,
  redactSegments,
  type ScannedSegment,
} from '../../language/pii/index.ts';
import type { Conversation, Role, TimedWord, Utterance, WithheldWords } from './contract.ts';

/** A raw utterance comes from the source: times may be missing, and it may contain personal data. */
export interface RawUtterance {
  readonly speaker: Role;
  readonly label?: string | null;
  readonly text: string;
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
  readonly words?: readonly TimedWord[] | undefined;
}

export type RawConversation = Partial<Omit<Conversation, 'utterances' | 'timed' | 'source'>> & {
  readonly source: Conversation['source'];
  readonly utterances: readonly RawUtterance[];
};

/** Redacts personal data of these kinds before the conversation is judged or stored. */
export function conversationOf(
  { utterances: raw, source, withheld = [], ...known }: RawConversation,
  kinds: readonly PiiEntity[] = PII_ENTITIES,
): Conversation {
  const timed =
    raw.length > 0 && raw.every(({ startMs, endMs }) => startMs !== undefined && endMs !== undefined);
  const utterances = raw.map(
    (one): Utterance => ({
      speaker: one.speaker,
      label: one.label ?? null,
      text: one.text.normalize('NFC'),
      startMs: one.startMs ?? 0,
      endMs: Math.max(one.startMs ?? 0, one.endMs ?? 0),
      words: one.words ?? [],
    }),
  );
  return {
    source,
    language: null,
    agentId: null,
    agentVersion: null,
    externalId: null,
    customerNumber: null,
    direction: null,
    startedAt: null,
    recordedFromMs: null,
    ...known,
    knowledge: known.knowledge ?? null,
    timed,
    utterances: redacted(timed ? inOrder(utterances) : utterances, kinds),
    ...(withheld.length === 0 ? {} : { withheld: withheld.map((one) => withoutPersonal(one, kinds)) }),
  };
}

function withoutPersonal(one: WithheldWords, kinds: readonly PiiEntity[]): WithheldWords {
  const [clean] = redactSegments([{ text: one.text.normalize('NFC'), words: [] }], kinds).segments;
  return { ...one, text: clean?.text ?? '' };
}

const inOrder = (utterances: readonly Utterance[]): Utterance[] =>
  [...utterances].sort((a, b) => a.startMs - b.startMs);

type Scanned = ScannedSegment & Omit<Utterance, 'words' | 'text'>;

/** The utterances are read as one text, because a number may be spoken in pieces. */
export const redacted = (
  utterances: readonly Utterance[],
  kinds: readonly PiiEntity[] = PII_ENTITIES,
): readonly Utterance[] =>
  redactSegments(utterances as readonly Scanned[], kinds).segments as readonly Utterance[];

/** The stored form is JSON. */
export const documentOf = (conversation: Conversation): string => JSON.stringify(conversation);
export const conversationIn = (document: string): Conversation => JSON.parse(document) as Conversation;
