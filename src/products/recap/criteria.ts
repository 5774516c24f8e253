import type { Conversation } from '../trace/index.ts';
import type { Facts } from './contract.ts';

export const METRICS = [
  'agent_talk_share',
  'interruptions_by_agent',
  'longest_silence_s',
  'agent_response_p50_ms',
  'agent_response_p95_ms',
] as const;
type Metric = (typeof METRICS)[number];

/**
 * `rule`: PACK/rule-id, met where the rule finds no violation. `metric`: met within `least` and `most`. `model`: the
 * language model judges the text; a scale goes from `least` to `most`.
 */
export interface Criterion {
  readonly id: string;
  readonly text: string;
  readonly kind: 'yes_no' | 'scale';
  readonly by: 'rule' | 'metric' | 'model';
  readonly rule?: string | undefined;
  readonly metric?: Metric | undefined;
  readonly least?: number | undefined;
  readonly most?: number | undefined;
}

export interface Judged {
  /** 1 is met and 0 not met; a scale has its own value; null means that it could not be judged. */
  readonly value: number | null;
  readonly evidence: readonly {
    readonly quote: string;
    readonly start_ms: number | null;
    readonly detail: string;
  }[];
}

/** Judges the criteria that need understanding; one that it leaves out counts as not judged. */
export type CriterionJudge = (
  conversation: Conversation,
  criteria: readonly Criterion[],
) => Promise<ReadonlyMap<Criterion, Judged>>;

export const NOT_JUDGED: Judged = { value: null, evidence: [] };

const MEASURES: Readonly<Record<Metric, (facts: Facts) => number | undefined>> = {
  agent_talk_share: ({ talk_ratio }) => talk_ratio.agent,
  interruptions_by_agent: ({ interruptions }) => interruptions.by_agent,
  longest_silence_s: ({ longest_silence_s }) => longest_silence_s,
  agent_response_p50_ms: ({ agent_response_ms }) => agent_response_ms?.p50,
  agent_response_p95_ms: ({ agent_response_ms }) => agent_response_ms?.p95,
};

export function byMetric(
  { timed }: Conversation,
  facts: Facts,
  { metric, kind, least, most }: Criterion,
): Judged {
  const measure = metric !== undefined && timed ? MEASURES[metric](facts) : undefined;
  if (measure === undefined) return NOT_JUDGED;
  const evidence = [{ quote: '', start_ms: null, detail: `${metric} is ${measure}` }];
  const valid =
    measure >= (least ?? Number.NEGATIVE_INFINITY) && measure <= (most ?? Number.POSITIVE_INFINITY);
  return { value: kind === 'scale' ? measure : Number(valid), evidence };
}
