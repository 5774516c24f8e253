import type { Json } from '../data/api.ts';
import { number } from '../data/format.ts';
import { t } from '../i18n/index.ts';

export const LANES = ['user', 'agent', 'latency', 'tool', 'flow', 'finding'] as const;
export type LaneKind = (typeof LANES)[number];

export interface Moment {
  readonly key: string;
  readonly lane: LaneKind;
  readonly ms: number;
  readonly endMs: number;
  readonly label: string;
  readonly detail: string;
  readonly bad?: boolean;
}

export const PARTS = ['endpoint', 'asr', 'brain', 'tts'] as const;

export const partName = (part: (typeof PARTS)[number]): string =>
  ({ endpoint: t('End of turn'), asr: t('Words'), brain: t('Answer'), tts: t('Voice') })[part];

const shown = (value: unknown): string => (value === undefined ? '–' : JSON.stringify(value));

function saidMoments(entries: readonly Json[]): Moment[] {
  return entries.map(({ role, text, start_ms, end_ms, interrupted }, nth) => ({
    key: `said ${nth}`,
    lane: role,
    ms: start_ms,
    endMs: end_ms,
    label: text,
    detail: interrupted ? t('{text} (interrupted here)', { text }) : text,
    ...(interrupted ? { bad: true } : {}),
  }));
}

/** Response latency ends with the first audio of the answer. */
function latencyMoments(turns: readonly Json[], entries: readonly Json[]): Moment[] {
  return turns.flatMap(({ turn_id, latency_ms }) => {
    const answer = entries.find((entry) => entry.role === 'agent' && entry.turn_id === turn_id);
    if (answer === undefined) return [];
    const parts = PARTS.map((part) => `${partName(part)} ${number(latency_ms[part])}`).join(', ');
    return [
      {
        key: `latency ${turn_id}`,
        lane: 'latency',
        ms: answer.start_ms - latency_ms.total,
        endMs: answer.start_ms,
        label: `${number(latency_ms.total)} ms`,
        detail: t('The caller waited {ms} ms: {parts}', { ms: number(latency_ms.total), parts }),
      },
    ];
  });
}

const toolMoments = (calls: readonly Json[]): Moment[] =>
  calls.map(({ name, at_ms, took_ms, arguments: args, result, error }, nth) => ({
    key: `tool ${nth}`,
    lane: 'tool',
    ms: at_ms,
    endMs: at_ms + (took_ms ?? 0),
    label: name,
    detail: `${name} ${shown(args)} → ${error ?? shown(result)} (${number(took_ms)} ms)`,
    ...(error === undefined ? {} : { bad: true }),
  }));

function flowMoments(
  { path = [], flow_refused = [], language_changes = [], agents = [] }: Json,
  endMs: number,
): Moment[] {
  const nodes: Moment[] = path.map(({ node, entered_at_ms, left_by }: Json, nth: number) => ({
    key: `node ${nth}`,
    lane: 'flow',
    ms: entered_at_ms,
    endMs: path[nth + 1]?.entered_at_ms ?? endMs,
    label: node,
    detail: t('Flow: {node}, left by {why}', { node, why: left_by ?? '–' }),
  }));
  const point = (key: string, ms: number, label: string, detail: string, bad = false): Moment => ({
    ...{ key, lane: 'flow', ms, endMs: ms, label, detail },
    ...(bad ? { bad } : {}),
  });
  return [
    ...nodes,
    ...flow_refused.map(({ wanted, at_ms, reason }: Json, nth: number) =>
      point(
        `refused ${nth}`,
        at_ms,
        wanted,
        t('The flow refused {what}: {why}', { what: wanted, why: reason }),
        true,
      ),
    ),
    ...language_changes.map(({ from, to, at_ms }: Json, nth: number) =>
      point(`language ${nth}`, at_ms, to, t('The language changed from {from} to {to}', { from, to })),
    ),
    ...agents
      .slice(1)
      .map(({ agent_id, from_ms }: Json, nth: number) =>
        point(`agent ${nth}`, from_ms, agent_id, t('Another agent took over: {agent}', { agent: agent_id })),
      ),
  ];
}

const leftOutMoments = (left: readonly Json[]): Moment[] =>
  left.map(({ start_ms, end_ms, words }, nth) => ({
    key: `left out ${nth}`,
    lane: 'user',
    ms: start_ms,
    endMs: end_ms,
    label: t('Another voice'),
    detail: t('Another voice spoke: {words} words left out of the transcript', { words }),
  }));

const findingMoments = (judged: Json): Moment[] =>
  [...(judged?.violations ?? []), ...(judged?.findings ?? [])]
    .filter(({ start_ms }) => typeof start_ms === 'number')
    .map(({ id, title, quote, severity, start_ms, end_ms }) => ({
      key: id,
      lane: 'finding',
      ms: start_ms,
      endMs: end_ms ?? start_ms,
      label: title,
      detail: `${title} (${severity}): “${quote ?? ''}”`,
      bad: true,
    }));

/** The times of answering machine detection count from the answer of the telephone call. */
function detectionMoments(whole: Json): Moment[] {
  const answeredAt = whole?.answered_at ?? null;
  const startedAt = whole?.sessions[0]?.started_at ?? null;
  if (answeredAt === null || startedAt === null) return [];
  return whole.detections.map(({ id, answered_by, reason, confidence, at_ms }: Json) => ({
    key: id,
    lane: 'finding',
    ms: Math.max(0, answeredAt + at_ms - startedAt),
    endMs: Math.max(0, answeredAt + at_ms - startedAt),
    label: answered_by,
    detail: t('Answered by {who}, {share}% sure: {why}', {
      who: answered_by,
      share: number(confidence * 100),
      why: reason,
    }),
  }));
}

export interface MomentSources {
  readonly call: Json;
  readonly entries: readonly Json[];
  readonly whole: Json;
  readonly judged: Json;
}

export function momentsOf({ call, entries, whole, judged }: MomentSources): readonly Moment[] {
  const endMs = call.duration_s * 1000;
  return [
    ...saidMoments(entries),
    ...leftOutMoments(call.left_out ?? []),
    ...latencyMoments(call.turns ?? [], entries),
    ...toolMoments(call.tool_calls ?? []),
    ...flowMoments(call, endMs),
    ...findingMoments(judged),
    ...detectionMoments(whole),
  ].sort((a, b) => a.ms - b.ms);
}
