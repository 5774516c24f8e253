import { RecordedCalls, readSessionInputs } from '../../conversation/calls/index.ts';
import {
  differencesOf,
  type RecordedEntry,
  replaySession,
  seconds,
  timelineOf,
} from '../../conversation/replay/index.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { type CliContext, printable } from './command.ts';
import { withCoreServices } from './core-services.ts';

const DIFFERS_CODE = 1;

export const replay = (context: CliContext, call: string): Promise<void> =>
  withCoreServices(context, async ({ storage, blobs }) => {
    const session = await new RecordedCalls(storage, blobs).session(call);
    if (session === null) throw new ApiError('not_found', `there is no call ${printable(call)}`);
    const trace = await readSessionInputs(blobs, call);
    if (trace === null)
      throw new ApiError(
        'not_found',
        `the inputs of ${call} were not recorded; set TRUNKLINE_SESSION_INPUTS=true before a call, and replay the call before its transcript is deleted`,
      );
    const record = (await session.transcript()) as readonly RecordedEntry[];
    const replayed = await replaySession(trace);
    for (const line of timelineOf(trace)) context.out(printable(line));
    if (trace.isMasked) context.out('The words were replaced by letters, because the records are redacted.');
    if (!trace.isWhole) context.out('The call was too long: its end was not recorded.');
    const differences = differencesOf(trace, replayed, record);
    for (const { atMs, message } of differences) context.out(printable(`${seconds(atMs)}: ${message}`));
    const count = differences.length;
    if (count > 0) context.exit(DIFFERS_CODE);
    context.out(
      count === 0
        ? `The replay matches the call: ${replayed.deeds.length} actions, ${replayed.transcript.length} turns.`
        : `${count} ${count === 1 ? 'difference' : 'differences'}.`,
    );
  });
