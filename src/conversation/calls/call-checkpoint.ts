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

/** The checkpoint holds what the record needs if the call ends now and what another node needs to resume it. */
export interface CallCheckpoint {
  readonly end: Omit<CallEnd, 'transcript'>;
  readonly talk: SessionCheckpoint;
  readonly asked: Partial<omni.Configuration>;
  readonly sessionLabel: string | null;
  readonly agentId: string | null;
  readonly agentVersion: number | null;
  readonly heardAudio: boolean;
  /** The field `at` counts from the beginning of the call. */
  readonly tools: readonly ToolCallRecord[];
  readonly slots: readonly CaptureOutcome[];
  readonly languageChanges: readonly LanguageChange[];
  readonly shares: readonly AgentShare[];
  readonly flows: readonly (readonly [agentId: string, state: FlowState])[];
  readonly degraded: Degradations['list'];
  /** Absent from checkpoints of older versions. */
  readonly leftOut?: Degradations['leftOut'];
  readonly tokens: readonly (readonly [
    number,
    { promptTokens: number; cachedTokens: number; completionTokens: number },
  ])[];
  readonly grounding: readonly Grounding[];
  readonly isFromBasesOnly: boolean;
  readonly providerUse: readonly ProviderUse[];
  readonly reservationId: string | null;
}

export const endOfCheckpoint = ({ end, talk }: CallCheckpoint): CallEnd => ({
  ...end,
  transcript: talk.entries.map(recordEntryOf),
});
