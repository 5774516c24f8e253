import type { TranscriptEntry } from '../session/index.ts';
import { maskText } from './mask.ts';
import type { ReplayedSession } from './replay.ts';
import { type Deed, isDeed, type SessionTrace } from './trace.ts';

/** The node's timers come late by less than this on any machine that can serve a call. */
const SAME_TIME_MS = 300;

export interface Difference {
  readonly atMs: number;
  readonly message: string;
}

export interface RecordedEntry {
  readonly role: 'user' | 'agent';
  readonly turn_id: number;
  readonly text: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly interrupted: boolean;
}

type TimedDeed = readonly [atMs: number, deed: Deed];

/** Names what the replay did otherwise than the call, and what the record says otherwise than the replay. */
export function differencesOf(
  trace: SessionTrace,
  replayed: ReplayedSession,
  record: readonly RecordedEntry[] | null,
): Difference[] {
  const recorded = trace.events.flatMap(([atMs, entry]): TimedDeed[] =>
    isDeed(entry) ? [[atMs, entry]] : [],
  );
  const replayedDeeds = trace.isMasked ? replayed.deeds.map(masked) : replayed.deeds;
  const deeds = differencesOfDeeds(recorded, replayedDeeds);
  if (record === null || !trace.isWhole) return deeds;
  return [...deeds, ...differencesOfRecord(replayed.transcript, record, trace.isMasked)].sort(
    (one, other) => one.atMs - other.atMs,
  );
}

/** The session's own lines are whole in a replay and masked in the trace. */
const masked = ([atMs, deed]: TimedDeed): TimedDeed => [
  atMs,
  deed.kind === 'says' ? { ...deed, text: maskText(deed.text) } : deed,
];

function differencesOfDeeds(call: readonly TimedDeed[], replay: readonly TimedDeed[]): Difference[] {
  const differences: Difference[] = [];
  let [at, other] = [0, 0];
  while (at < call.length || other < replay.length) {
    const [one, two] = [call[at], replay[other]];
    if (one !== undefined && two !== undefined && describe(one[1]) === describe(two[1])) {
      if (Math.abs(one[0] - two[0]) > SAME_TIME_MS)
        differences.push({
          atMs: one[0],
          message: `${describe(one[1])}: in the replay at ${seconds(two[0])}`,
        });
      at++;
      other++;
      continue;
    }
    const later = two === undefined ? -1 : indexOf(call, at, two[1]);
    const isMissing = two === undefined || (later >= 0 && one !== undefined);
    if (isMissing && one !== undefined) {
      differences.push({ atMs: one[0], message: `only in the call: ${describe(one[1])}` });
      at++;
    } else if (two !== undefined) {
      differences.push({ atMs: two[0], message: `only in the replay: ${describe(two[1])}` });
      other++;
    }
  }
  return differences;
}

const indexOf = (deeds: readonly TimedDeed[], from: number, deed: Deed): number =>
  deeds.findIndex(([, one], at) => at >= from && describe(one) === describe(deed));

function differencesOfRecord(
  transcript: readonly TranscriptEntry[],
  record: readonly RecordedEntry[],
  isMasked: boolean,
): Difference[] {
  const differences: Difference[] = [];
  // A call that was resumed on another connection has more turns than this session.
  for (const [at, entry] of transcript.entries()) {
    const own = record[at];
    const text = isMasked ? (own?.text ?? '') : entry.text;
    const replayed: RecordedEntry = {
      role: entry.role,
      turn_id: entry.turnId,
      text,
      start_ms: Math.round(entry.startMs),
      end_ms: Math.round(entry.endMs),
      interrupted: entry.interrupted,
    };
    const name = `turn ${entry.turnId} (${entry.role})`;
    if (own === undefined)
      differences.push({ atMs: replayed.start_ms, message: `${name} is not in the record: "${entry.text}"` });
    else if (!isSameEntry(own, replayed))
      differences.push({
        atMs: replayed.start_ms,
        message: `${name} is ${showEntry(replayed)}, and ${showEntry(own)} in the record`,
      });
  }
  return differences;
}

/** The end of words that the end of the call cut off is read from the clock, and no input has that time. */
const isSameEntry = (one: RecordedEntry, other: RecordedEntry): boolean =>
  showEntry({ ...one, start_ms: 0, end_ms: 0 }) === showEntry({ ...other, start_ms: 0, end_ms: 0 }) &&
  Math.abs(one.start_ms - other.start_ms) <= SAME_TIME_MS &&
  Math.abs(one.end_ms - other.end_ms) <= SAME_TIME_MS;

const showEntry = ({ role, turn_id: turn, text, start_ms: from, end_ms: to, interrupted }: RecordedEntry) =>
  `${role} ${turn} "${text}" from ${seconds(from)} to ${seconds(to)}${interrupted ? ', interrupted' : ''}`;

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;

export function describe(deed: Deed): string {
  switch (deed.kind) {
    case 'says':
      return `${deed.held ? 'prepares' : 'says'} "${deed.text}" (speech ${deed.speech})`;
    case 'finishes':
      return `ends the text of speech ${deed.speech}`;
    case 'plays':
      return `plays the prepared speech ${deed.speech}`;
    case 'discards':
      return `discards speech ${deed.speech}`;
    case 'stops':
      return 'stops the playback';
    case 'barge_in':
      return `turn ${deed.turn} was interrupted after ${deed.playedMs} ms`;
    case 'ends':
      return `ends: ${deed.reason}`;
  }
}
