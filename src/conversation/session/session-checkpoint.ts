import type { AgentTurns } from './agent-turns.ts';
import type { TranscriptEntry, TurnMessages } from './conversation-history.ts';
import type { Floor } from './floor.ts';
import type { ResponseLatencies } from './response-latency.ts';
import type { TurnNumbers } from './turn-numbers.ts';

export type PendingAnswer =
  | { readonly kind: 'question'; readonly turnId: number; readonly text: string }
  | { readonly kind: 'lines'; readonly lines: readonly string[] };

export interface SessionCheckpoint {
  readonly entries: readonly TranscriptEntry[];
  readonly messages: readonly TurnMessages[];
  readonly nextTurn: number;
  readonly latencies: ResponseLatencies['list'];
  /** The brain gets its own memory back with the next turn. */
  readonly memory: unknown;
  readonly isConsentPending: boolean;
  readonly pending: PendingAnswer | null;
}

export interface CheckpointSources {
  readonly agent: AgentTurns;
  readonly floor: Floor;
  readonly numbers: TurnNumbers;
}

/** Includes the played part of the running turn, in whole segments. */
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

/** Returns the rest of the running turn where all of its text is known, and otherwise its question. */
function pendingAnswer({ turn, spoken }: Floor): PendingAnswer | null {
  if (turn === null) return null;
  if (!turn.done && turn.question !== null) return { kind: 'question', ...turn.question };
  const lines = turn.words.from(spoken?.segment ?? 0);
  return lines.length === 0 ? null : { kind: 'lines', lines };
}
