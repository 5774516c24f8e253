// @requirement Omni: Whatever happens in a call, the agent has one voice, the caller is not left in silence, and the call ends once.
/** Calls of random events in virtual time. A failure prints its seed and the smallest sequence that fails. */
import { expect, it } from 'vitest';
import { long } from '../../long-tests.ts';
import { fc, runs } from '../../property-tests.ts';
import { counterexamples, RandomCall, randomCall } from './random-call.ts';

it(
  'holds what a call promises through random events',
  async () => {
    await fc.assert(
      fc.asyncProperty(randomCall, async (parts) => {
        const call = new RandomCall(parts);
        const { clock, lane, stage } = call;
        await call.play();
        expect(call.ends).toBe(1);
        expect(lane.isClosed).toBe(true);
        call.expectConsistentRecord();
        const result = () =>
          JSON.stringify([stage.sent, stage.guesses, stage.session.conversation.transcript]);
        const atTheEnd = result();
        await call.act();
        await call.pass(10_000);
        expect(result()).toBe(atTheEnd);
        expect(stage.brain.open).toBe(0);
        expect(clock.timers).toBe(0);
      }),
      { numRuns: runs(100, 20_000), examples: counterexamples },
    );
  },
  long ? 1_800_000 : 60_000,
);
