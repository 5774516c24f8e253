import type { omni } from '../../media/wire/index.ts';
import type { ProviderUse } from '../../speech/providers/index.ts';
import type { FlowState } from '../flows/index.ts';
import type { SessionCheckpoint, ToolCallRecord } from '../session/index.ts';
import type { AgentShare } from './agent-handoff.ts';
import { type Degradations, recordEntryOf } from './call-end.ts';
import type { Grounding } from './call-knowledge.ts';
import type { CallEnd } from './call-store.ts';
import type { CaptureOutcome } from './capture-log.ts';
import type { LanguageChange } from './contract.ts';

/** The state of a live call as plain data: what its record would be if it ended now, and what it takes to go on. */
export interface CallCheckpoint {
  /** The record, without what the talk itself has. */
  readonly end: Omit<CallEnd, 'transcript'>;
  readonly talk: SessionCheckpoint;
  /** The fields that the client has asked for, as they are now. */
  readonly asked: Partial<omni.Configuration>;
  readonly sessionLabel: string | null;
  /** The agent that has the call now; null: its label names none. */
  readonly agentId: string | null;
  readonly agentVersion: number | null;
  readonly heardAudio: boolean;
  /** `at` counts from the beginning of the call. */
  readonly tools: readonly ToolCallRecord[];
  readonly slots: readonly CaptureOutcome[];
  readonly languageChanges: readonly LanguageChange[];
  readonly shares: readonly AgentShare[];
  readonly flows: readonly (readonly [agentId: string, state: FlowState])[];
  readonly degraded: Degradations['list'];
  readonly tokens: readonly (readonly [
    number,
    { promptTokens: number; cachedTokens: number; completionTokens: number },
  ])[];
  readonly grounding: readonly Grounding[];
  readonly isFromBasesOnly: boolean;
  readonly providerUse: readonly ProviderUse[];
  readonly reservationId: string | null;
}

/** The record of a session that ended with this state. */
export const endOfCheckpoint = ({ end, talk }: CallCheckpoint): CallEnd => ({
  ...end,
  transcript: talk.entries.map(recordEntryOf),
});
