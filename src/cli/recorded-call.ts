import { tmpdir } from 'node:os';
import { AudioDecoder, findFfmpeg } from '../codec/index.ts';
import { Models } from '../platform/models/index.ts';
import {
  type Api,
  type CallRecord,
  channelsOf,
  type OfferedTool,
  RecordedCaller,
  readWav,
  type Sound,
  SuiteError,
} from '../testkit/index.ts';
import type { CliContext } from './command.ts';

/** A call that was held, with what is needed to hold it again. */
export interface RecordedCall {
  readonly record: CallRecord;
  /** Null: it was not recorded. */
  readonly caller: RecordedCaller | null;
  readonly tools: readonly OfferedTool[];
}

/** Throws SuiteError where there is no such call. */
export async function recordedCall(context: CliContext, api: Api, callId: string): Promise<RecordedCall> {
  const file = (await api.record(callId)) === null ? null : await api.sound(callId);
  const record = await api.record(callId);
  if (record === null) throw new SuiteError(`there is no call ${callId}`);
  const begins = record.recording_result?.starts_at_ms ?? 0;
  const caller = file === null ? null : new RecordedCaller(await soundOf(context, file, callId), begins);
  const { agent_id: agent, agent_version: version } = record;
  return { record, caller, tools: agent === null ? [] : await api.offeredTools(agent, version) };
}

const RATE = 16_000;
const MOST_SECONDS = 4 * 3600;

/** Recordings are kept as WAV, or as what a server was told to keep them as. */
async function soundOf(context: CliContext, file: Buffer, name: string): Promise<Sound> {
  if (file.toString('latin1', 0, 4) === 'RIFF') return readWav(file, name);
  const config = context.config();
  const program = findFfmpeg(config.ffmpeg, new Models({ root: config.models }));
  if (program === undefined)
    throw new SuiteError(
      `the recording of ${name} is no WAV, and there is no ffmpeg: npx trunkline models fetch`,
    );
  const decoder = new AudioDecoder({ ffmpeg: program.path, temporary: tmpdir(), atOnce: 1 });
  const { pcm } = await decoder.decode(
    { bytes: file },
    { sampleRate: RATE, channels: 'keep', sample: 's16', maxSeconds: MOST_SECONDS },
  );
  const chunks: Buffer[] = [];
  for await (const chunk of pcm) chunks.push(Buffer.from(chunk));
  return { rate: RATE, channels: channelsOf(Buffer.concat(chunks), 2) };
}
