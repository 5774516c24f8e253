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

/** The brain gets these messages of one turn; a note is something that nobody said. */
export interface TurnMessages {
  readonly turnId: number;
  readonly messages: readonly BrainMessage[];
  readonly note?: true;
}

/** Messages kept for the brain; older ones stay in the transcript alone. */
const MAX_MESSAGES = 80;

/** The one account of a call: its transcript is what the record holds, its messages are what the brain is told. Both
 * hold only what was said and heard, in the order of the turns: what was heard of an interrupted turn becomes known
 * only after the caller has begun the next. */
export class ConversationHistory {
  readonly #entries: TranscriptEntry[] = [];
  readonly #messages: TurnMessages[] = [];

  get transcript(): readonly TranscriptEntry[] {
    return this.#entries;
  }

  /** The newest messages for the brain; another node goes on with the call from them. */
  get recentMessages(): readonly TurnMessages[] {
    return this.#messages.slice(-MAX_MESSAGES);
  }

  /** Goes on from what was said before. */
  restore(entries: readonly TranscriptEntry[], messages: readonly TurnMessages[]): void {
    this.#entries.push(...entries);
    this.#messages.push(...messages);
  }

  /** Whether the agent spoke last, and asked. */
  get hasOpenQuestion(): boolean {
    const last = this.#messages.findLast(({ note }) => note === undefined)?.messages.at(-1);
    return last?.role === 'assistant' && endsWithQuestion(last.content);
  }

  /** Returns the messages of the turns before this one, without that of its question; of all turns by default. */
  messages(turnId = Number.POSITIVE_INFINITY, questionId: number | null = null): BrainMessage[] {
    const entries = this.#messages.filter((entry) => entry.turnId < turnId && entry.turnId !== questionId);
    let count = entries.reduce((sum, { messages }) => sum + messages.length, 0);
    if (count <= MAX_MESSAGES) return entries.flatMap(({ messages }) => messages);
    // The history begins at a question: most models reject the result of a tool without its call.
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

  /** A sign of listening: in the transcript, not a turn for the brain. */
  addBackchannel(entry: Omit<TranscriptEntry, 'role' | 'interrupted'>): void {
    insertByTurn(this.#entries, { ...entry, role: 'user', interrupted: false });
  }

  /** Something that the brain should know, and that nobody said. Without a number it stands behind all that there is. */
  addNote(turnId: number | null, text: string): void {
    const last = this.#messages.at(-1)?.turnId ?? 0;
    insertByTurn(this.#messages, {
      turnId: turnId ?? last,
      messages: [{ role: 'user', content: text }],
      note: true,
    });
  }

  /** The brain is told nothing of what was said so far; the transcript keeps it. */
  startAnew(): void {
    this.#messages.length = 0;
  }

  /** One agent's turn: the tools it called, then what was heard of it. */
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
