import type { AgentTurns } from './agent-turns.ts';
import type { TranscriptEntry, TurnMessages } from './conversation-history.ts';
import type { Floor } from './floor.ts';
import type { ResponseLatencies } from './response-latency.ts';
import type { TurnNumbers } from './turn-numbers.ts';

/** The caller waits for it: an answer, or the rest of one. */
export type PendingAnswer =
  | { readonly kind: 'question'; readonly turnId: number; readonly text: string }
  | { readonly kind: 'lines'; readonly lines: readonly string[] };

/** The state of a talk as plain data: another session goes on from it. */
export interface SessionCheckpoint {
  readonly entries: readonly TranscriptEntry[];
  readonly messages: readonly TurnMessages[];
  readonly nextTurn: number;
  readonly latencies: ResponseLatencies['list'];
  /** The brain gave it, to be given it with the next turn. */
  readonly memory: unknown;
  readonly isConsentPending: boolean;
  readonly pending: PendingAnswer | null;
}

export interface CheckpointSources {
  readonly agent: AgentTurns;
  readonly floor: Floor;
  readonly numbers: TurnNumbers;
}

/** Takes what was heard of the running turn into the account, by whole segments. */
export function checkpointOf({ agent, floor, numbers }: CheckpointSources): SessionCheckpoint {
  const { conversation, memory, isConsentPending } = agent;
  const { spoken } = floor;
  const entries = [...conversation.transcript];
  const messages = [...conversation.recentMessages];
  if (spoken !== null && spoken.text !== '') {
    const { turnId, text, startMs, endMs } = spoken;
    entries.push({ role: 'agent', turnId, text, startMs, endMs, interrupted: true });
    messages.push({ turnId, messages: [{ role: 'assistant', content: text }] });
  }
  return {
    entries,
    messages,
    nextTurn: numbers.upcoming,
    latencies: floor.latencies.list,
    memory,
    isConsentPending,
    pending: pendingAnswer(floor),
  };
}

/** The rest of what is being said where all of it is known, else the question that it answers. */
function pendingAnswer({ turn, spoken }: Floor): PendingAnswer | null {
  if (turn === null) return null;
  if (!turn.done && turn.question !== null) return { kind: 'question', ...turn.question };
  const lines = turn.words.from(spoken?.segment ?? 0);
  return lines.length === 0 ? null : { kind: 'lines', lines };
}
