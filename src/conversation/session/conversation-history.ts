import type { BrainMessage, BrainToolCall } from '../brains/index.ts';
import { endsWithQuestion } from './deferred-backchannel.ts';

export interface TranscriptEntry {
  readonly role: 'user' | 'agent';
  readonly turnId: number;
  /** The agent's text contains only the played audio. */
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly interrupted: boolean;
}

export interface ToolRound {
  readonly calls: readonly BrainToolCall[];
  readonly results: readonly { readonly callId: string; readonly name: string; readonly content: string }[];
}

export interface TurnMessages {
  readonly turnId: number;
  readonly messages: readonly BrainMessage[];
  readonly note?: true;
}

/** The brain gets this many messages; older ones are only in the transcript. */
const MAX_MESSAGES = 80;

/**
 * The transcript goes into the record and the messages go to the brain. Both hold only what was said and played, in
 * the order of the turns: the playout of an interrupted turn becomes known only after the caller has begun the next.
 */
export class ConversationHistory {
  readonly #entries: TranscriptEntry[] = [];
  readonly #messages: TurnMessages[] = [];

  get transcript(): readonly TranscriptEntry[] {
    return this.#entries;
  }

  /** A checkpoint stores these messages, so that another node can resume the call. */
  get recentMessages(): readonly TurnMessages[] {
    return this.#messages.slice(-MAX_MESSAGES);
  }

  restore(entries: readonly TranscriptEntry[], messages: readonly TurnMessages[]): void {
    this.#entries.push(...entries);
    this.#messages.push(...messages);
  }

  get hasOpenQuestion(): boolean {
    const last = this.#messages.findLast(({ note }) => note === undefined)?.messages.at(-1);
    return last?.role === 'assistant' && endsWithQuestion(last.content);
  }

  /**
   * Returns the messages of the turns before this one, without the message of its question; of all turns by default.
   */
  messages(turnId = Number.POSITIVE_INFINITY, questionId: number | null = null): BrainMessage[] {
    const entries = this.#messages.filter((entry) => entry.turnId < turnId && entry.turnId !== questionId);
    let count = entries.reduce((sum, { messages }) => sum + messages.length, 0);
    if (count <= MAX_MESSAGES) return entries.flatMap(({ messages }) => messages);
    // The history begins at a question, because most models reject a tool result without its call.
    const from = entries.findIndex(({ messages }) => {
      if (count <= MAX_MESSAGES && messages[0]?.role === 'user') return true;
      count -= messages.length;
      return false;
    });
    return from < 0 ? [] : entries.slice(from).flatMap(({ messages }) => messages);
  }

  addUserTurn(entry: Omit<TranscriptEntry, 'role' | 'interrupted'>): void {
    this.addBackchannel(entry);
    insertByTurn(this.#messages, { turnId: entry.turnId, messages: [{ role: 'user', content: entry.text }] });
  }

  addBackchannel(entry: Omit<TranscriptEntry, 'role' | 'interrupted'>): void {
    insertByTurn(this.#entries, { ...entry, role: 'user', interrupted: false });
  }

  /** Adds a message that neither side said. Without a turn number it comes last. */
  addNote(turnId: number | null, text: string): void {
    const last = this.#messages.at(-1)?.turnId ?? 0;
    insertByTurn(this.#messages, {
      turnId: turnId ?? last,
      messages: [{ role: 'user', content: text }],
      note: true,
    });
  }

  startAnew(): void {
    this.#messages.length = 0;
  }

  addAgentTurn(entry: Omit<TranscriptEntry, 'role'>, rounds: readonly ToolRound[]): void {
    const heard: BrainMessage[] = entry.text === '' ? [] : [{ role: 'assistant', content: entry.text }];
    const messages = [...rounds.flatMap(roundMessages), ...heard];
    if (messages.length > 0) insertByTurn(this.#messages, { turnId: entry.turnId, messages });
    if (entry.text !== '') insertByTurn(this.#entries, { ...entry, role: 'agent' });
  }
}

function insertByTurn<T extends { turnId: number }>(items: T[], item: T): void {
  const later = items.findIndex((other) => other.turnId > item.turnId);
  items.splice(later < 0 ? items.length : later, 0, item);
}

export const roundMessages = (round: ToolRound): BrainMessage[] => [
  { role: 'assistant', content: '', toolCalls: round.calls },
  ...round.results.map((result) => ({ role: 'tool' as const, ...result })),
];
