import { holdsAll } from './check-call.ts';
import type { PlayedToolCall } from './played.ts';
import type { CallRecord } from './server-api.ts';

export interface Turn {
  readonly atMs: number;
  readonly endMs: number;
  readonly heard: string;
  readonly said: string;
  readonly tools: readonly PlayedToolCall[];
  /** The server measures it from the caller's last word to the agent's first; null where the agent did not answer. */
  readonly latencyMs: number | null;
  /** The time for which the agent had been speaking at the interruption; null without one. */
  readonly cutInAfterMs: number | null;
}

export function turnsOf(record: CallRecord): Turn[] {
  const entries = record.transcript?.entries ?? [];
  const isTurn = ({ role, text }: (typeof entries)[number]) => role === 'user' && text !== '';
  return entries.flatMap((entry, at) => {
    if (!isTurn(entry)) return [];
    const behind = entries.slice(at + 1);
    const next = behind.findIndex(isTurn);
    const answers = (next < 0 ? behind : behind.slice(0, next)).filter(({ role }) => role === 'agent');
    const until = next < 0 ? Infinity : (behind[next]?.start_ms as number);
    const before = entries[at - 1];
    const cut = before?.role === 'agent' && before.interrupted;
    return {
      atMs: entry.start_ms,
      endMs: entry.end_ms,
      heard: entry.text,
      said: answers
        .map(({ text }) => text)
        .join(' ')
        .trim(),
      tools: toolsBetween(record, entry.start_ms, until),
      latencyMs: latencyOf(record, answers),
      cutInAfterMs: cut ? entry.start_ms - before.start_ms : null,
    };
  });
}

const toolsBetween = ({ tool_calls = [] }: CallRecord, from: number, to: number): PlayedToolCall[] =>
  tool_calls
    .filter(({ at_ms: at }) => at >= from && at < to)
    .map(({ name, arguments: args }) => ({ name, arguments: args }));

const latencyOf = ({ turns = [] }: CallRecord, answers: readonly { turn_id: number }[]): number | null =>
  turns.find(({ turn_id }) => answers.some((answer) => answer.turn_id === turn_id))?.latency_ms.total ?? null;

const SAME_MS = 1500;
const SLOWER_MS = 200;

/** Compares two calls turn by turn, in which one caller said the same words at the same times. */
export function turnDifferences(before: readonly Turn[], now: readonly Turn[]): string[] {
  const left = [...now];
  const found = before.flatMap((turn, at) => {
    const where = `turn ${at + 1}`;
    const near = left.findIndex((other) => Math.abs(other.atMs - turn.atMs) <= SAME_MS);
    if (near < 0) return [`${where}: “${turn.heard}” was not heard`];
    const [same] = left.splice(near, 1) as [Turn];
    return turnDifference(turn, same).map((what) => `${where}: ${what}`);
  });
  return [...found, ...left.map(({ atMs, heard }) => `at ${atMs} ms “${heard}” was heard only now`)];
}

function turnDifference(before: Turn, now: Turn): string[] {
  const [was, is] = [before.latencyMs, now.latencyMs];
  return [
    ...(before.heard === now.heard ? [] : [`heard “${before.heard}”, now “${now.heard}”`]),
    ...(before.said === now.said ? [] : [`said “${before.said}”, now “${now.said}”`]),
    ...(sameTools(before.tools, now.tools)
      ? []
      : [`called ${namesOf(before.tools)}, now ${namesOf(now.tools)}`]),
    ...(was === null || is === null || Math.abs(is - was) < SLOWER_MS
      ? []
      : [`answered after ${was} ms, now ${is} ms`]),
  ];
}

const sameTools = (before: readonly PlayedToolCall[], now: readonly PlayedToolCall[]): boolean =>
  before.length === now.length &&
  before.every(
    ({ name, arguments: args }, at) => name === now[at]?.name && holdsAll(now[at].arguments, args),
  );

const namesOf = (tools: readonly PlayedToolCall[]): string =>
  tools.map(({ name, arguments: args }) => `${name} ${JSON.stringify(args)}`).join(', ') || 'no tool';
