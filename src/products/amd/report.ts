import type { AmdCallRow } from '../../foundation/storage/tables/amd.ts';
import {
  ANSWERS,
  type Answer,
  type AnswerModel,
  type Evidence,
  replay,
  type Tunables,
} from '../../speech/amd/index.ts';

export interface AmdReport {
  readonly object: 'amd.report';
  readonly calls: number;
  readonly right: number;
  /** The people taken for machines, who are lost where the caller hangs up on machines. */
  readonly humans_called_machines: number;
  readonly machines_called_humans: number;
  /** The table counts calls by corrected answer and by decided answer. */
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The setting with which the verdicts were computed again; null for the verdicts as they were. */
  readonly aggressiveness: number | null;
}

const PEOPLE: readonly Answer[] = ['human', 'receptionist'];
const MACHINES: readonly Answer[] = ['voicemail', 'ivr', 'screening', 'dead_number', 'fax'];

/** Compares corrected calls with their verdicts; with `aggressiveness`, with the verdicts that it would give. */
export function reportOf(
  rows: readonly AmdCallRow[],
  model: AnswerModel,
  aggressiveness: number | undefined,
): AmdReport {
  // Calls whose words were erased cannot be judged again.
  const known = aggressiveness === undefined ? rows : rows.filter((row) => row.words_removed_at === null);
  const pairs = known.map((row) => ({
    was: row.corrected_to as Answer,
    decided: aggressiveness === undefined ? (row.answered_by as Answer) : again(row, model, aggressiveness),
  }));
  const count = (test: (pair: { was: Answer; decided: Answer }) => boolean) => pairs.filter(test).length;
  const confusion: Record<string, Record<string, number>> = {};
  for (const answer of ANSWERS) {
    const row = pairs.filter(({ was }) => was === answer);
    if (row.length === 0) continue;
    confusion[answer] = Object.fromEntries(
      ANSWERS.map(
        (decided) => [decided, row.filter((pair) => pair.decided === decided).length] as const,
      ).filter(([, times]) => times > 0),
    );
  }
  return {
    object: 'amd.report',
    calls: pairs.length,
    right: count(({ was, decided }) => was === decided),
    humans_called_machines: count(({ was, decided }) => PEOPLE.includes(was) && MACHINES.includes(decided)),
    machines_called_humans: count(({ was, decided }) => MACHINES.includes(was) && PEOPLE.includes(decided)),
    confusion,
    aggressiveness: aggressiveness ?? null,
  };
}

function again(row: AmdCallRow, model: AnswerModel, aggressiveness: number): Answer {
  const tunables = { ...(JSON.parse(row.tunables) as Tunables), aggressiveness };
  return replay(JSON.parse(row.evidence) as Evidence[], Number(row.heard_ms), model, tunables).answeredBy;
}
