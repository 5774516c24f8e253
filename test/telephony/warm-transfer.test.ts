/** A warm transfer whose carrier may connect the two by itself. */
import { describe, expect, it } from 'vitest';
import { CarrierFault, type MediaLeg, type MediaSink } from '../../src/carriers/index.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { Line } from '../../src/telephony/line.ts';
import type { PhoneCall } from '../../src/telephony/phone-call.ts';
import { WarmTransfer } from '../../src/telephony/transfer.ts';

const clock = { now: () => 0, monotonic: () => 0, after: () => () => undefined } satisfies Clock;
const TRANSFERRED = { reason: 'completed', detail: 'transferred to +15005550020' };

/** A line, what was sent to it, and how sound comes from it. */
function line() {
  const sent: Uint8Array[] = [];
  let sink: MediaSink = { audio: () => undefined };
  const leg = {
    bind: (given: MediaSink) => {
      sink = given;
    },
    send: (frames: Uint8Array) => void sent.push(frames),
    clear: () => void sent.splice(0),
    stats: () => ({ received: { frames: 0 } }),
  } as unknown as MediaLeg;
  return { line: new Line(leg, clock), sent, says: (frames: Uint8Array) => sink.audio(frames) };
}

/** One side's call, as far as a transfer has to do with it, and what becomes of it. */
function phoneCall(leg: object) {
  const told: unknown[] = [];
  const call = {
    leg: Promise.resolve(leg),
    tape: null,
    isOver: false,
    endsAs: (ending: unknown) => void told.push(['ends as', ending]),
    end: (ending: unknown) => void told.push(['ended', ending]),
  } as unknown as PhoneCall;
  return { call, told };
}

/** Both are connected here, and their carrier is asked; it answers when `settle` is called. */
async function connected() {
  const asked: unknown[] = [];
  let settle: (fault: Error | null) => void = () => undefined;
  const connect = (other: unknown) => {
    asked.push(other);
    return new Promise<void>((resolve, reject) => {
      settle = (fault) => (fault === null ? resolve() : reject(fault));
    });
  };
  const [callers, persons] = [line(), line()];
  const caller = phoneCall({ connect });
  const personsLeg = {};
  const person = phoneCall(personsLeg);
  const plan = new WarmTransfer(clock, {
    call: caller.call,
    line: callers.line,
    to: '+15005550020',
    briefing: new Uint8Array(160),
    waiting: new Uint8Array(160),
    recorded: false,
    nobody: () => expect.fail('the agent is not to come back'),
    agentToo: null,
  });
  plan.answered(person.call, persons.line);
  persons.line.key('1');
  await new Promise(setImmediate);
  expect(asked).toEqual([personsLeg]);
  const settled = async (fault: Error | null) => {
    settle(fault);
    await new Promise(setImmediate);
  };
  return { plan, callers, persons, caller, person, settled };
}

const REFUSED = new CarrierFault('refused', '603 Decline');

describe('a warm transfer that the carrier is asked to take over', () => {
  it('ends both calls here once it has', async () => {
    const { plan, caller, person, settled } = await connected();
    await settled(null);
    expect(caller.told).toEqual([['ends as', TRANSFERRED]]);
    expect(person.told).toEqual([['ended', { reason: 'completed', detail: 'connected with the caller' }]]);
    plan.callerLeft();
    plan.ended();
    expect([caller.told.length, person.told.length]).toEqual([1, 1]);
  });

  it('goes on here until then, and where it does not', async () => {
    const { plan, callers, persons, caller, person, settled } = await connected();
    const frames = new Uint8Array(160).fill(7);
    callers.says(frames);
    expect(persons.sent).toEqual([frames]);
    await settled(REFUSED);
    persons.says(frames);
    expect(callers.sent).toEqual([frames]);
    expect([...caller.told, ...person.told]).toEqual([]);
    plan.ended();
    expect(caller.told).toEqual([['ended', TRANSFERRED]]);
  });

  it('ends with the person who has hung up meanwhile, and with the caller', async () => {
    const left = await connected();
    left.plan.ended();
    expect(left.caller.told).toEqual([]);
    await left.settled(REFUSED);
    expect(left.caller.told).toEqual([['ended', TRANSFERRED]]);

    const gone = await connected();
    gone.plan.callerLeft();
    await gone.settled(REFUSED);
    expect(gone.person.told).toEqual([['ended', { reason: 'completed', detail: 'the caller hung up' }]]);
    expect(gone.caller.told).toEqual([]);
  });
});
