/** Measures the delay of audio that goes through a call over SIP and comes back. */
import { FRAME_MS, FRAME_SAMPLES, pause, SimulatedCaller } from '../../src/apps/caller/index.ts';
import { loopbackLane } from '../../src/media/engine/index.ts';
import { SipWire } from './sip-wire.ts';
import { withTrunk } from './trunk.ts';

const LOUD = 12_000;
const AUDIBLE_DBFS = -30;
const WITHIN_MS = 1_000;

export interface Delays {
  readonly ms: readonly number[];
  readonly unheard: number;
}

/**
 * Measures from the packet of a click to the packet that returns it: the delay that the platform adds in both directions.
 * The other side is a lane of the engine that repeats its input, joined with the call as an agent's lane is.
 */
export function delays(clicks: number): Promise<Delays> {
  return withTrunk(
    (engine) => (call) => {
      const mirror = engine.open(loopbackLane, undefined, {
        audio: () => undefined,
        event: () => undefined,
        closed: () => undefined,
      });
      queueMicrotask(() => void call.answer());
      return {
        state: (state) => {
          if (state.kind === 'answered') state.media.join?.(mirror);
          if (state.kind === 'ended') mirror.close();
        },
        key: () => undefined,
      };
    },
    async () => {
      const caller = await SimulatedCaller.over(new SipWire());
      await pause(2_000);
      const ms: number[] = [];
      for (let click = 0; click < clicks; click++) {
        const left = (await caller.say(new Int16Array(FRAME_SAMPLES).fill(LOUD))) + FRAME_MS;
        const heard = await soundAfter(caller, left);
        if (heard !== null) ms.push(heard - left);
        await pause(200 + ((click * 7) % FRAME_MS));
      }
      await caller.hangUp();
      return { ms, unheard: clicks - ms.length };
    },
  );
}

async function soundAfter(caller: SimulatedCaller, left: number): Promise<number | null> {
  while (performance.now() < left + WITHIN_MS) {
    const heard = caller.playout.firstSound(left, AUDIBLE_DBFS);
    if (heard !== null) return heard;
    await pause(5);
  }
  return null;
}
