import { RecordedCaller } from './recorded-caller.ts';
import type { CallRecord, OfferedTool, ServerApi } from './server-api.ts';
import { SuiteError } from './suite.ts';
import { replayOf, type SuiteOfCall, suiteOf } from './suite-from-call.ts';
import { readWav, type WavAudio } from './wav.ts';

export interface RecordedCall {
  readonly record: CallRecord;
  readonly caller: RecordedCaller | null;
  readonly tools: readonly OfferedTool[];
}

export type DecodeRecording = (file: Buffer, name: string) => Promise<WavAudio>;

/** Throws SuiteError for an unknown call, or for one that is too long to keep in memory. */
export async function recordedCall(
  api: ServerApi,
  callId: string,
  decode: DecodeRecording,
  longestMs = Infinity,
): Promise<RecordedCall> {
  const held = await api.record(callId);
  if (held === null) throw new SuiteError(`there is no call ${callId}`);
  if (held.duration_s * 1000 > longestMs)
    throw new SuiteError(`a call of at most ${longestMs / 60_000} minutes can be replayed`);
  const file = await api.sound(callId);
  // The recording may have been stored in the meantime.
  const record = (await api.record(callId)) ?? held;
  const { agent_id: agent, agent_version: version, recording_result: recording } = record;
  const caller =
    file === null
      ? null
      : new RecordedCaller(await soundOf(file, callId, decode), recording?.starts_at_ms ?? 0);
  return { record, caller, tools: agent === null ? [] : await api.offeredTools(agent, version) };
}

/** Replays the caller's own audio on its clock; without a recording, synthesized words. */
export const heldAgain = ({ record, caller, tools }: RecordedCall): SuiteOfCall =>
  caller === null ? suiteOf(record, { caller, tools }) : replayOf(record, caller, tools);

const soundOf = async (file: Buffer, name: string, decode: DecodeRecording): Promise<WavAudio> =>
  file.toString('latin1', 0, 4) === 'RIFF' ? readWav(file, name) : await decode(file, name);
