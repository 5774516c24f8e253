// @requirement Transfers: A warm transfer uses REFER with `Replaces` where the trunk allows it.
/** The carrier may connect the two calls of a warm transfer by itself. */
import { describe, expect, it } from 'vitest';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { convertAudio } from '../../../src/media/engine/index.ts';
import { CarrierError, type MediaLeg, type MediaSink } from '../../../src/telephony/carriers/index.ts';
import { CallMedia } from '../../../src/telephony/dialling/call-media.ts';
import { DenoisedAudio, ULAW } from '../../../src/telephony/dialling/index.ts';
import type { PhoneCall } from '../../../src/telephony/dialling/phone-call.ts';
import { WarmTransfer } from '../../../src/telephony/dialling/warm-transfer.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { levelOf, noise } from '../../media/engine/fixtures/noise.ts';
import { sharedEngine } from '../../media/engine/shared-engine.ts';
import { pollDelay } from '../../poll.ts';

const models = new Models();
const absent = !models.status('denoiser').ready;
if (absent && process.env.CI === 'true') throw new Error('absent: denoiser');

const TRANSFERRED = { reason: 'completed', detail: 'transferred to +15005550020' };

function media(clock: ManualClock) {
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
  return { media: new CallMedia(leg, clock), sent, says: (frames: Uint8Array) => sink.audio(frames) };
}

function phoneCall(leg: object, tape: object | null = null) {
  const reported: unknown[] = [];
  const call = {
    leg: Promise.resolve(leg),
    tape,
    isOver: false,
    endsAs: (ending: unknown) => void reported.push(['ends as', ending]),
    end: (ending: unknown) => void reported.push(['ended', ending]),
  } as unknown as PhoneCall;
  return { call, reported };
}

type Denoise = ConstructorParameters<typeof WarmTransfer>[1]['denoise'];

/** A carrier that can connect the two is asked to, unless the person hears the caller without the noise. */
async function connected(tape: object | null = null, denoise?: Denoise) {
  const asked: unknown[] = [];
  let settle: (fault: Error | null) => void = () => undefined;
  const connect = (other: unknown) => {
    asked.push(other);
    return new Promise<void>((resolve, reject) => {
      settle = (fault) => (fault === null ? resolve() : reject(fault));
    });
  };
  const clock = new ManualClock();
  const [callers, targets] = [media(clock), media(clock)];
  const caller = phoneCall({ connect }, tape);
  const personsLeg = {};
  const person = phoneCall(personsLeg);
  const plan = new WarmTransfer(clock, {
    call: caller.call,
    media: callers.media,
    to: '+15005550020',
    briefing: new Uint8Array(160),
    waiting: new Uint8Array(160),
    recorded: tape !== null,
    denoise: denoise ?? (() => null),
    over: () => undefined,
    nobody: () => expect.fail('the agent is not to come back'),
    agentToo: null,
  });
  plan.answered(person.call, targets.media);
  targets.media.key('1');
  await new Promise(setImmediate);
  expect(asked).toEqual(denoise === undefined ? [personsLeg] : []);
  const settled = async (fault: Error | null) => {
    settle(fault);
    await new Promise(setImmediate);
  };
  return { clock, plan, callers, targets, caller, person, settled };
}

const REFUSED = new CarrierError('refused', '603 Decline');

describe('a warm transfer that the carrier is asked to take over', () => {
  it('ends both calls here once it has', async () => {
    const { plan, caller, person, settled } = await connected();
    await settled(null);
    expect(caller.reported).toEqual([['ends as', TRANSFERRED]]);
    expect(person.reported).toEqual([
      ['ended', { reason: 'completed', detail: 'connected with the caller' }],
    ]);
    plan.callerLeft();
    plan.ended();
    expect([caller.reported.length, person.reported.length]).toEqual([1, 1]);
  });

  it('goes on here until then, and where it does not', async () => {
    const { plan, callers, targets, caller, person, settled } = await connected();
    const frames = new Uint8Array(160).fill(7);
    callers.says(frames);
    expect(targets.sent).toEqual([frames]);
    await settled(REFUSED);
    targets.says(frames);
    expect(callers.sent).toEqual([frames]);
    expect([...caller.reported, ...person.reported]).toEqual([]);
    plan.ended();
    expect(caller.reported).toEqual([['ended', TRANSFERRED]]);
  });

  // @requirement Recordings: A recording goes on after a transfer only where the number says so.
  it('tapes each side without a supervisor who whispers to the person, or joins them', async () => {
    const taped: [string, number][] = [];
    const heard = (side: string, frames: Uint8Array) => void taped.push([side, frames[0] ?? -1]);
    const { clock, callers, targets } = await connected({ people: () => undefined, heard });
    const frame = (of: number) => new Uint8Array(160).fill(of);
    const whisper = callers.media.join({ hear: () => undefined }, 'part');
    const join = targets.media.join({ hear: () => undefined }, 'all');
    whisper.say(frame(1));
    join.say(frame(2));
    callers.says(frame(3));
    targets.says(frame(4));
    clock.advance(40);
    expect(taped).toEqual([
      ['caller', 3],
      ['other', 4],
    ]);
    expect(targets.sent[0]?.[0]).not.toBe(3);
  });

  it.skipIf(absent)(
    'brings the person and the tape the caller without the noise of the line, over this server, where the agent asks for that',
    async () => {
      const engine = sharedEngine();
      await engine.prepared();
      const before = engine.stats().lanes;
      const taped: Buffer[] = [];
      const heard = (side: string, frames: Uint8Array) =>
        void (side === 'caller' && taped.push(Buffer.from(frames)));
      const { plan, callers, targets } = await connected(
        { people: () => undefined, heard },
        (_where, listener) => DenoisedAudio.open(engine, ULAW, 'live', listener),
      );
      const line = Buffer.from(convertAudio('pcm16', noise(8000), 'pcmu'));
      for (let at = 0; at < line.length; at += 160) callers.says(line.subarray(at, at + 160));
      while (targets.sent.length < 47 || taped.length < 47) await pollDelay();
      for (const frames of [targets.sent, taped]) {
        const linear = Buffer.from(convertAudio('pcmu', Buffer.concat(frames), 'pcm16'));
        expect(levelOf(linear.subarray(linear.length / 2))).toBeLessThan(levelOf(noise(8000)) / 4);
      }
      const frames = new Uint8Array(160).fill(7);
      targets.says(frames);
      expect(callers.sent).toEqual([frames]);
      expect(engine.stats().lanes).toBe(before + 2);
      plan.ended();
      while (engine.stats().lanes > before) await pollDelay();
      engine.destroy();
    },
  );

  it('ends with the person who has hung up meanwhile, and with the caller', async () => {
    const left = await connected();
    left.plan.ended();
    expect(left.caller.reported).toEqual([['ends as', TRANSFERRED]]);
    await left.settled(REFUSED);
    expect(left.caller.reported.slice(1)).toEqual([['ended', TRANSFERRED]]);

    // The carrier reports nothing: the caller does not wait in silence until the timeout.
    const silent = await connected();
    silent.plan.ended();
    silent.clock.advance(2_000);
    expect(silent.caller.reported.slice(1)).toEqual([['ended', TRANSFERRED]]);
    await silent.settled(REFUSED);
    expect(silent.caller.reported).toHaveLength(2);

    const gone = await connected();
    gone.plan.callerLeft();
    await gone.settled(REFUSED);
    expect(gone.person.reported).toEqual([['ended', { reason: 'completed', detail: 'the caller hung up' }]]);
    expect(gone.caller.reported).toEqual([]);
  });
});
