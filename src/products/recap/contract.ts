import type { AgentShareView, Role } from '../trace/index.ts';

/** A statement about a call, with the words of the call that support it. */
export interface Statement {
  readonly text: string;
  readonly quote: string;
  readonly speaker: Role;
  readonly start_ms: number;
  readonly end_ms: number;
}

export interface ActionItem extends Statement {
  readonly owner: 'agent' | 'customer' | null;
  readonly due: string | null;
}

export interface SpeakerOfCall {
  readonly label: string;
  readonly role: Role;
  readonly talk_ms: number;
}

/** The facts come from times and speakers alone. */
export interface Facts {
  readonly talk_ratio: { readonly agent: number; readonly customer: number; readonly unknown: number };
  readonly interruptions: { readonly by_agent: number; readonly by_customer: number };
  readonly longest_silence_s: number;
  /**
   * The response latency, from the end of the customer's speech to the agent's first word; null for a call without
   * answers or times.
   */
  readonly agent_response_ms: { readonly p50: number; readonly p95: number } | null;
  readonly speakers: readonly SpeakerOfCall[];
}

/** The share describes one agent’s part of a call that several agents had. */
export interface RecapShare extends AgentShareView {
  readonly agent_response_ms: Facts['agent_response_ms'];
  readonly promises: number;
}

export type Outcome = 'resolved' | 'follow_up' | 'unresolved' | 'no_conversation' | 'unknown';
export const OUTCOMES: readonly Outcome[] = [
  'resolved',
  'follow_up',
  'unresolved',
  'no_conversation',
  'unknown',
];

export interface RecapDraft {
  /** The author: a language model, or sentences of the call itself. */
  readonly by: 'model' | 'extractive';
  readonly summary: readonly Statement[];
  readonly topics: readonly string[];
  readonly action_items: readonly ActionItem[];
  readonly promises: readonly Statement[];
  readonly unanswered_questions: readonly Statement[];
  /** The sentiment of the customer's turns, from -1 to 1; null where it was not judged. */
  readonly sentiment: {
    readonly overall: number | null;
    readonly over_time: readonly { readonly at_ms: number; readonly value: number }[];
  };
  readonly outcome: Outcome;
  readonly crm_fields: Readonly<
    Record<string, { readonly value: string | number | boolean; readonly quote: string }>
  >;
  /** The number of statements dropped because their quote does not occur in the call. */
  readonly dropped: number;
}

export interface CrmField {
  readonly name: string;
  readonly type: 'string' | 'number' | 'boolean' | 'date' | 'enum';
  readonly description: string;
  readonly values?: readonly string[] | undefined;
}

export interface RecapConfig {
  readonly enabled: boolean;
  readonly webhook_url: string | null;
}
