import type { TraceInteractionRow, TraceResultRow } from '../../foundation/storage/tables/trace.ts';
import { type AgentShareView, agentSharesOf, shareAt } from './agent-shares.ts';
import type { Conversation, Evidence, Severity, Status, TraceVerdict } from './contract.ts';
import { conversationIn } from './conversation.ts';

export interface Move {
  readonly from: Status;
  readonly to: Status;
  readonly reason: string | null;
  readonly by: string;
  readonly at: number;
}

/** A violation or a finding, with what it rests on. */
export interface ResultView extends Evidence {
  readonly id: string;
  readonly object: 'trace.violation' | 'trace.finding';
  readonly interaction_id: string;
  readonly pack: string;
  readonly pack_id: string;
  readonly pack_version: string;
  readonly rule_id: string;
  readonly title: string;
  readonly severity: Severity;
  readonly agent_id: string | null;
  readonly agent_version: string | null;
  readonly status: Status;
  readonly moves: readonly Move[];
  readonly exposure: { currency: string; least_micros: number; most_micros: number } | null;
  readonly created_at: number;
}

export interface InteractionView {
  readonly id: string;
  readonly object: 'trace.interaction';
  readonly source: { readonly kind: TraceInteractionRow['source_kind']; readonly id: string | null };
  readonly agent_id: string | null;
  readonly agent_version: string | null;
  readonly external_id: string | null;
  readonly verdict: TraceVerdict['verdict'];
  readonly rule_packs: readonly { id: string; pack_id: string; version: string; etag: string }[];
  readonly unjudged: TraceVerdict['unjudged'];
  readonly digest: string;
  readonly signature: string;
  readonly created_at: number;
}

/** The share describes one agent’s part of the call, and counts what was found in it. */
export interface InteractionShare extends AgentShareView {
  readonly violations: number;
  readonly findings: number;
}

export interface WholeInteraction extends InteractionView {
  /** Present where more than one agent had the call, as long as the conversation is stored. */
  readonly agents?: readonly InteractionShare[];
  readonly violations: readonly ResultView[];
  readonly findings: readonly ResultView[];
}

interface ResultDocument {
  readonly title: string;
  readonly evidence: Evidence;
}

export function resultView(row: TraceResultRow): ResultView {
  const { title, evidence } = JSON.parse(row.document) as ResultDocument;
  return {
    id: row.id,
    object: row.outcome === 'violation' ? 'trace.violation' : 'trace.finding',
    interaction_id: row.interaction_id,
    pack: row.pack,
    pack_id: row.pack_id,
    pack_version: row.pack_version,
    rule_id: row.rule_id,
    title,
    severity: row.severity as Severity,
    ...evidence,
    agent_id: row.agent_id,
    agent_version: row.agent_version,
    status: row.status,
    moves: JSON.parse(row.moves) as Move[],
    exposure:
      row.currency === null
        ? null
        : {
            currency: row.currency,
            least_micros: Number(row.least_micros),
            most_micros: Number(row.most_micros),
          },
    created_at: Number(row.created_at),
  };
}

export const interactionView = (
  row: Omit<TraceInteractionRow, 'document' | 'later_agents'>,
): InteractionView => ({
  id: row.id,
  object: 'trace.interaction',
  source: { kind: row.source_kind, id: row.source_id },
  agent_id: row.agent_id,
  agent_version: row.agent_version,
  external_id: row.external_id,
  verdict: row.verdict,
  rule_packs: (
    JSON.parse(row.packs) as (InteractionView['rule_packs'][number] & { severity?: string })[]
  ).map(({ severity: _own, ...pack }) => pack),
  unjudged: JSON.parse(row.unjudged) as TraceVerdict['unjudged'],
  digest: row.digest,
  signature: row.signature,
  created_at: Number(row.created_at),
});

export const wholeInteraction = (
  row: TraceInteractionRow,
  results: readonly TraceResultRow[],
): WholeInteraction => {
  const shown = results.map(resultView).sort(byPlace);
  const agents = row.document === null ? null : sharesIn(conversationIn(row.document), shown);
  return {
    ...interactionView(row),
    ...(agents === null ? {} : { agents }),
    violations: shown.filter(({ object }) => object === 'trace.violation'),
    findings: shown.filter(({ object }) => object === 'trace.finding'),
  };
};

function sharesIn(conversation: Conversation, results: readonly ResultView[]): InteractionShare[] | null {
  const { agents = [] } = conversation;
  const count = (at: number, object: ResultView['object']): number =>
    results.filter((result) => result.object === object && shareAt(agents, result.start_ms) === at).length;
  const shares = agentSharesOf(conversation);
  return (
    shares?.map((share, at) => ({
      ...share,
      violations: count(at, 'trace.violation'),
      findings: count(at, 'trace.finding'),
    })) ?? null
  );
}

/** By where it was said, then by rule: ids are random, and what was kept together has one time. */
const byPlace = (a: ResultView, b: ResultView): number =>
  (a.start_ms ?? 0) - (b.start_ms ?? 0) ||
  (`${a.pack_id}/${a.rule_id}` < `${b.pack_id}/${b.rule_id}` ? -1 : 1);
