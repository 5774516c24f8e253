import { spanAt, talkBySpan } from '../../conversation/calls/index.ts';
import type { Conversation, ConversationAgent } from './contract.ts';

/** The share describes one agent’s part of a call that several agents had. */
export interface AgentShareView {
  readonly agent_id: string;
  readonly agent_version: string;
  readonly from_ms: number;
  readonly to_ms: number;
  readonly turns: number;
  readonly talk_ms: number;
}

/** Returns null where one agent at most had the conversation. */
export function agentSharesOf({ agents, utterances }: Conversation): AgentShareView[] | null {
  if (agents === undefined) return null;
  const talk = talkBySpan(
    agents,
    utterances.filter(({ speaker }) => speaker === 'agent'),
  );
  return agents.map(({ agentId, agentVersion, fromMs, toMs }, at) => ({
    agent_id: agentId,
    agent_version: agentVersion,
    from_ms: fromMs,
    to_ms: toMs,
    turns: talk[at]?.turns ?? 0,
    talk_ms: talk[at]?.talkMs ?? 0,
  }));
}

/** A finding without a time, such as words that were never said, counts for the agent that began the call. */
export const shareAt = (agents: readonly Pick<ConversationAgent, 'fromMs'>[], atMs: number | null): number =>
  spanAt(agents, atMs ?? 0);

/** Returns the agent that had the call at this moment. */
export function agentAt(
  { agents = [], agentId, agentVersion }: Conversation,
  atMs: number | null,
): { readonly agentId: string | null; readonly agentVersion: string | null } {
  return agents[shareAt(agents, atMs)] ?? { agentId, agentVersion };
}

/** Lists every agent of a conversation once; null stands for a conversation without one. */
export const agentIdsOf = ({
  agents = [],
  agentId,
}: Partial<Pick<Conversation, 'agents' | 'agentId'>>): readonly (string | null)[] => [
  ...new Set([agentId ?? null, ...agents.map((agent) => agent.agentId)]),
];
