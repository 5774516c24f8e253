import { localTime } from '../../../foundation/platform/local-time.ts';
import type { Judgement } from '../contract.ts';
import type { RuleOf } from '../packs/schema.ts';
import type { JudgedConversation } from '../subject.ts';

/** Calls that reach somebody at night, where they live. */
export function judgeQuietHours(
  rule: RuleOf<'quiet_hours'>,
  { conversation, inputs }: JudgedConversation,
): Judgement {
  const { customerNumber, direction, startedAt } = conversation;
  if (direction === 'inbound') return { kind: 'judged', hits: [] };
  if (customerNumber === null) return { kind: 'unjudged', reason: 'no_number' };
  if (startedAt === null) return { kind: 'unjudged', reason: 'no_start' };
  const zones = inputs.zones(customerNumber);
  if (zones === null || zones.length === 0) return { kind: 'unjudged', reason: 'no_time_zone' };
  const quiet = zones.find((zone) => isQuiet(startedAt, zone, rule));
  if (quiet === undefined) return { kind: 'judged', hits: [] };
  const detail = `called at ${timeIn(startedAt, quiet)} in ${quiet}; quiet from ${rule.from} to ${rule.to}`;
  return { kind: 'judged', hits: [{ span: null, detail }] };
}

/** The hours may go over midnight. */
export function isQuiet(at: number, zone: string, { from, to }: { from: string; to: string }): boolean {
  const time = timeIn(at, zone);
  return from <= to ? time >= from && time < to : time >= from || time < to;
}

/** Formats the time of day, such as `08:30`. */
export const timeIn = (at: number, zone: string): string => localTime(at, zone).time;
