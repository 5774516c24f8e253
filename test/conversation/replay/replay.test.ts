// @requirement Omni: What went into a call replays through the session to what the call did.
import { describe, expect, it } from 'vitest';
import {
  differencesOf,
  InputRecorder,
  maskTrace,
  type RecordedEntry,
  replaySession,
  type SessionTrace,
} from '../../../src/conversation/replay/index.ts';
import type { SessionOptions, TranscriptEntry } from '../../../src/conversation/session/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { long } from '../../long-tests.ts';
import { fc, runs } from '../../property-tests.ts';
import { type Call, counterexamples, RandomCall, randomCall } from '../session/random-call.ts';

const entryOf = ({ turnId, startMs, endMs, ...entry }: TranscriptEntry): RecordedEntry => ({
  ...entry,
  turn_id: turnId,
  start_ms: Math.round(startMs),
  end_ms: Math.round(endMs),
});

async function recorded(parts: Call) {
  let recorder: InputRecorder | null = null;
  const call = new RandomCall(parts, (clock) => {
    recorder = new InputRecorder(clock);
    return recorder;
  });
  await call.play();
  const { trace } = recorder as unknown as InputRecorder;
  const record = call.stage.session.conversation.transcript.map(entryOf);
  // The trace goes through storage as JSON.
  return { trace: JSON.parse(JSON.stringify(trace)) as SessionTrace, record };
}

it('records no more than its bytes, and says that the rest is missing', () => {
  const said: number[] = [];
  const recorder = new InputRecorder(new ManualClock());
  const { lane } = recorder.optionsOf({
    clock: new ManualClock(),
    lane: { speak: (speech: number) => said.push(speech) },
    brain: { name: 'none' },
    toolDispatcher: { tools: new Map() },
    output: {},
    settings: {},
  } as unknown as SessionOptions);
  const speak = (speech: number) =>
    lane.speak(speech, 0, 'x'.repeat(100_000), { held: false, yields: false });
  for (let speech = 0; speech < 50; speech++) speak(speech);
  expect(recorder.trace).toMatchObject({ isWhole: true });
  for (let speech = 50; speech < 200; speech++) speak(speech);
  const trace = recorder.trace as SessionTrace;
  expect(trace.isWhole).toBe(false);
  expect(trace.events.length).toBeGreaterThan(50);
  expect(JSON.stringify(trace).length).toBeLessThan(9_000_000);
  expect(said).toHaveLength(200);
});

describe('a replay', () => {
  it(
    'does what the call did, whatever happened in it',
    async () => {
      await fc.assert(
        fc.asyncProperty(randomCall, async (parts) => {
          const { trace, record } = await recorded(parts);
          expect(differencesOf(trace, await replaySession(trace), record)).toEqual([]);
        }),
        { numRuns: runs(200, 5_000), examples: counterexamples },
      );
    },
    long ? 900_000 : 60_000,
  );

  it('of a trace whose words were replaced divides the answers as the call did', async () => {
    await fc.assert(
      fc.asyncProperty(randomCall, async (parts) => {
        const { trace, record } = await recorded(parts);
        const masked = maskTrace(trace);
        expect(JSON.stringify(masked)).not.toContain('table');
        const replayed = await replaySession(masked);
        const redacted = record.map((entry) => ({ ...entry, text: '[redacted]' }));
        expect(differencesOf(masked, replayed, redacted)).toEqual([]);
      }),
      { numRuns: runs(50), examples: counterexamples },
    );
  });
});
