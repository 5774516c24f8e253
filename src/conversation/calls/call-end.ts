import type { ProviderUse } from '../../speech/providers/index.ts';
import type { FlowState } from '../flows/index.ts';
import type {
  EndReason,
  OthersSpeech,
  Session,
  ToolCallRecord,
  TranscriptEntry,
  TurnTokenUsage,
} from '../session/index.ts';
import type { AgentShare } from './agent-handoff.ts';
import { talkBySpan } from './agent-spans.ts';
import type { CallKnowledge } from './call-knowledge.ts';
import type { CallEnd } from './call-store.ts';
import type { CaptureOutcome } from './capture-log.ts';
import type { CallConfiguration } from './configuration.ts';
import type { LanguageChange } from './contract.ts';
import type { StoredToolCall } from './tool-call-redaction.ts';

export interface WithheldSentence {
  readonly turn_id: number;
  /** The format is `pack_id@version/rule_id`. */
  readonly rule: string;
  readonly text: string;
}

/** The words of another than the caller are not stored. */
export interface LeftOut {
  readonly start_ms: number;
  readonly end_ms: number;
  readonly words: number;
  readonly reason: 'other_voice';
}

export const leftOutOf = ({ startMs, endMs, words }: OthersSpeech): LeftOut => ({
  start_ms: Math.round(startMs),
  end_ms: Math.round(endMs),
  words,
  reason: 'other_voice',
});

export class Degradations {
  readonly list: { turn_id: number; step: string; reason: string; rule?: string }[] = [];

  readonly withheld: WithheldSentence[] = [];

  readonly leftOut: LeftOut[] = [];

  readonly tokenUsage = new Map<number, TurnTokenUsage>();

  addTokenUsage(turnId: number, cost: TurnTokenUsage): void {
    const before = this.tokenUsage.get(turnId);
    this.tokenUsage.set(turnId, before === undefined ? cost : sumOf(before, cost));
  }

  add(turnId: number, step: string, reason: string, rule?: string, withheld?: string): void {
    this.list.push({ turn_id: turnId, step, reason, ...(rule === undefined ? {} : { rule }) });
    if (rule !== undefined && withheld !== undefined)
      this.withheld.push({ turn_id: turnId, rule, text: withheld });
  }
}

const FAILED: ReadonlySet<EndReason> = new Set(['engine_failed', 'brain_unavailable']);

const sumOf = (one: TurnTokenUsage, other: TurnTokenUsage): TurnTokenUsage => ({
  promptTokens: one.promptTokens + other.promptTokens,
  cachedTokens: one.cachedTokens + other.cachedTokens,
  completionTokens: one.completionTokens + other.completionTokens,
});

export interface CallEndInput {
  readonly session: Session;
  readonly configured: CallConfiguration;
  readonly reason: EndReason;
  readonly durationMs: number;
  readonly heardAudio: boolean;
  readonly degraded: Degradations;
  readonly knowledge: CallKnowledge;
  readonly tools: readonly ToolCallRecord[];
  readonly startedAt: number;
  readonly slots: readonly CaptureOutcome[];
  readonly flows: readonly (readonly [agentId: string, state: FlowState])[];
  readonly languageChanges: readonly LanguageChange[];
  readonly agents: readonly AgentShare[];
  readonly providerUse: readonly ProviderUse[];
  readonly usesVoiceUnderLoad: boolean;
}

export function buildCallEnd(call: CallEndInput): CallEnd {
  const providerUse = summed(call.providerUse);
  const failed = FAILED.has(call.reason);
  const { session, configured } = call;
  // A call without audio from the caller still counts as served where its transcript has words.
  const empty = !call.heardAudio && session.conversation.transcript.length === 0;
  return {
    status: failed ? 'failed' : 'completed',
    endReason: call.reason,
    language: configured.language,
    voiceId: configured.voice.id,
    voiceTier: configured.voice.tier,
    durationMs: call.durationMs,
    billedMs: failed || empty ? 0 : call.durationMs,
    transcript: session.conversation.transcript.map(recordEntryOf),
    withheld: call.degraded.withheld,
    ...(providerUse.length === 0 ? {} : { providerCosts: providerUse.map(costOf) }),
    tools: call.tools.map((tool) => storedToolCallOf(tool, call.startedAt)),
    turns: {
      turns: session.latencies.map(({ turnId, ...latency }) => ({ turn_id: turnId, latency_ms: latency })),
      degraded: call.degraded.list,
      ...(call.degraded.leftOut.length === 0 ? {} : { left_out: call.degraded.leftOut }),
      grounding: call.knowledge.groundingReport(session.conversation.transcript, configured.language),
      of_bases: call.knowledge.isFromBasesOnly,
      slots: call.slots,
      ...(call.flows.length === 0
        ? {}
        : {
            path: call.flows.flatMap(pathOf(call)).sort((a, b) => a.entered_at_ms - b.entered_at_ms),
            flow_refused: call.flows.flatMap(refusedOf(call)),
          }),
      ...(call.languageChanges.length === 0 ? {} : { language_changes: call.languageChanges.map(changeOf) }),
      ...(call.agents.length < 2 ? {} : { agents: sharesOf(call) }),
      voice_gave_way: call.usesVoiceUnderLoad,
      providers: providerUse.map(useOf),
      tokens: [...call.degraded.tokenUsage].map(([turnId, cost]) => ({
        turn_id: turnId,
        prompt: cost.promptTokens,
        cached: cost.cachedTokens,
        completion: cost.completionTokens,
      })),
    },
  };
}

/** A call that moved to another node has used a provider on both. A checkpoint of an earlier version has no credential. */
function summed(uses: readonly ProviderUse[]): readonly ProviderUse[] {
  const sums = new Map<string, ProviderUse>();
  for (const { credential = 'operator', ...use } of uses) {
    const id = JSON.stringify([use.kind, use.provider, credential]);
    const sum = sums.get(id);
    if (sum === undefined) sums.set(id, { ...use, credential });
    else {
      for (const field of ['requests', 'characters', 'soundMs', 'failures', 'costMicros'] as const)
        sum[field] += use[field];
      const times = [sum.failedOverAtMs, use.failedOverAtMs].filter((at) => at !== undefined);
      if (times.length > 0) sum.failedOverAtMs = Math.min(...times);
    }
  }
  return [...sums.values()];
}

const costOf = ({ failedOverAtMs: _at, ...cost }: ProviderUse) => cost;

/** The customer's record leaves out the cost, which concerns only the operator and the provider. */
const useOf = ({ soundMs, costMicros: _cost, failedOverAtMs, ...use }: ProviderUse) => ({
  ...use,
  sound_ms: Math.round(soundMs),
  ...(failedOverAtMs === undefined ? {} : { failed_over_at_ms: failedOverAtMs }),
});

export const recordEntryOf = (entry: TranscriptEntry) => ({
  role: entry.role,
  turn_id: entry.turnId,
  text: entry.text,
  start_ms: Math.round(entry.startMs),
  end_ms: Math.round(entry.endMs),
  interrupted: entry.interrupted,
});

const changeOf = ({ turnId, atMs, ...change }: LanguageChange) => ({
  ...change,
  turn_id: turnId,
  at_ms: atMs,
});

function sharesOf({ agents, durationMs, session }: CallEndInput) {
  const said = session.conversation.transcript.filter(({ role }) => role === 'agent');
  const talk = talkBySpan(agents, said);
  return agents.map(({ agentId, version, fromMs, context }, at) => ({
    agent_id: agentId,
    agent_version: version,
    from_ms: fromMs,
    to_ms: agents[at + 1]?.fromMs ?? Math.max(fromMs, Math.round(durationMs)),
    turns: talk[at]?.turns ?? 0,
    talk_ms: Math.round(talk[at]?.talkMs ?? 0),
    context,
  }));
}

type AgentFlow = CallEndInput['flows'][number];

/** Only a call with the flows of several agents says of which each step is. */
const ofAgent = ({ flows }: CallEndInput, agentId: string) => (flows.length < 2 ? {} : { agent_id: agentId });

const pathOf =
  (call: CallEndInput) =>
  ([agentId, { path }]: AgentFlow) =>
    path.map(({ node, enteredAtMs, leftBy, reason }) => ({
      node,
      entered_at_ms: Math.round(enteredAtMs),
      left_by: leftBy,
      reason,
      ...ofAgent(call, agentId),
    }));

const refusedOf =
  (call: CallEndInput) =>
  ([agentId, { refused }]: AgentFlow) =>
    refused.map(({ node, wanted, atMs, reason }) => ({
      node,
      wanted,
      at_ms: Math.round(atMs),
      reason,
      ...ofAgent(call, agentId),
    }));

const storedToolCallOf = (called: ToolCallRecord, startedAt: number): StoredToolCall => ({
  turn_id: called.turnId,
  name: called.name,
  arguments: called.arguments,
  at_ms: Math.round(called.at - startedAt),
  took_ms: called.tookMs === null ? null : Math.round(called.tookMs),
  ...answerOf(called),
});

function answerOf({ answer }: ToolCallRecord): Pick<StoredToolCall, 'result' | 'error'> {
  if (answer === null) return {};
  const result: unknown = JSON.parse(answer.content);
  return answer.kind === 'result' ? { result } : { error: (result as { error: string }).error };
}
