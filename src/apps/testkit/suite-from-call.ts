import { stringify } from 'yaml';
import { mocksFromCall } from './mocks-from-call.ts';
import type { RecordedCaller } from './recorded-caller.ts';
import type { CallRecord, OfferedTool } from './server-api.ts';
import { type Scenario, type Step, type Suite, SuiteError } from './suite.ts';
import { type Turn, turnsOf } from './turns.ts';

const ALIKE = 0.5;

export interface SuiteOfCall {
  readonly suite: Suite;
  readonly files: ReadonlyMap<string, Buffer>;
}

export interface Sources {
  readonly caller: RecordedCaller | null;
  readonly tools: readonly OfferedTool[];
}

/** Converts a call to a suite: the caller speaks turn by turn, and the agent's words become the expected meaning. */
export function suiteOf(record: CallRecord, { caller, tools }: Sources): SuiteOfCall {
  const turns = turnsOf(record);
  const files = new Map<string, Buffer>();
  const steps: Step[] = [];
  for (const [at, turn] of turns.entries()) {
    const bounds = { after: turns[at - 1]?.endMs ?? 0, before: turns[at + 1]?.atMs ?? Infinity };
    const sound = caller?.turn(turn.atMs, turn.endMs, bounds) ?? null;
    const audio = sound === null ? null : `${record.call_id}-${at + 1}.wav`;
    if (sound !== null && audio !== null) files.set(audio, sound);
    steps.push(stepOf(turn, audio, at > 0));
  }
  return { suite: around(record, steps, tools), files };
}

export function replayOf(
  record: CallRecord,
  caller: RecordedCaller,
  tools: readonly OfferedTool[],
): SuiteOfCall {
  const audio = `${record.call_id}.wav`;
  const turns = turnsOf(record).map((turn) => ({
    words: turn.heard,
    at_ms: turn.atMs,
    end_ms: turn.endMs,
    ...expectedOf(turn),
  }));
  const step: Step = { replay: { audio, begins_ms: Math.round(caller.beginsMs), turns } };
  return { suite: around(record, [step], tools), files: new Map([[audio, caller.whole()]]) };
}

function around(record: CallRecord, steps: Step[], offered: readonly OfferedTool[]): Suite {
  if (record.agent_id === null)
    throw new SuiteError(
      `${record.call_id} has no agent: a suite can be made only from a call that an agent answered`,
    );
  if (turnsOf(record).length === 0) throw new SuiteError(`the caller said nothing in ${record.call_id}`);
  const tools = mocksFromCall(record, offered);
  const scenario: Scenario = { name: record.call_id, steps };
  return {
    name: `Call ${record.call_id}`,
    about: 'Made from a recorded call.',
    agent_id: record.agent_id,
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
    scenarios: [scenario],
  };
}

function stepOf(turn: Turn, audio: string | null, mayInterrupt: boolean): Step {
  const { heard: words, cutInAfterMs } = turn;
  const expect = expectedOf(turn);
  if (cutInAfterMs !== null && mayInterrupt) {
    const interrupt = {
      after_ms: Math.max(300, cutInAfterMs),
      say: words,
      ...(audio === null ? {} : { audio }),
    };
    return { interrupt, ...expect };
  }
  return audio === null ? { say: words, ...expect } : { audio, words, ...expect };
}

function expectedOf({ said, tools: [tool] }: Turn) {
  const meaning = said === '' ? {} : { meaning: { text: said.slice(0, 4000), at_least: ALIKE } };
  const expect = { ...meaning, ...(tool === undefined ? {} : { tool: { name: tool.name } }) };
  return Object.keys(expect).length === 0 ? {} : { expect };
}

export const yamlOf = (suite: Suite): string => stringify(suite, { lineWidth: 100 });
