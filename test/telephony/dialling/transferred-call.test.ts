/** The carrier carries a transferred call on: it is metered to its end, and lasts no longer than its credit. */
import { describe, expect, it } from 'vitest';
import type { Principal } from '../../../src/foundation/access/contract.ts';
import { ApiError } from '../../../src/foundation/platform/errors.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { CarrierError, type MediaLeg, type MediaStats } from '../../../src/telephony/carriers/index.ts';
import type { TelephonyCallStore } from '../../../src/telephony/dialling/index.ts';
import { PhoneCall } from '../../../src/telephony/dialling/phone-call.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const MINUTE_MS = 60_000;
const settle = () => new Promise(setImmediate);

async function answered(pays: number, agrees: () => Promise<void> = async () => undefined) {
  const clock = new ManualClock();
  const ended: { talkedMs: number; ending: unknown }[] = [];
  const left: string[] = [];
  const held: number[] = [];
  const limits: number[] = [];
  const hungUp: string[] = [];
  const records = {
    answered: async () => undefined,
    note: async () => undefined,
    oneWay: async () => undefined,
    end: async (_scope: unknown, _id: string, finished: { talkedMs: number; ending: unknown }) => {
      ended.push(finished);
    },
  } as unknown as TelephonyCallStore;
  const recheck = async (used: number, ahead = 15_000) => {
    if (used > pays) throw new ApiError('credit_exhausted', 'nothing is left');
    held.push(Math.min(pays, used + ahead));
    return Math.min(pays, used + ahead) - used;
  };
  const admission = {
    reservationId: 'hold_1',
    recheck,
    release: async () => undefined,
    settling: () => undefined,
    handOver: () => undefined,
  };
  const call: PhoneCall = new PhoneCall(
    { clock, log: createLog({ level: 'silent' }), records, over: () => undefined },
    {
      id: 'tcl_1',
      callId: 'ocl_1',
      principal: { orgId: 'org_1', projectId: 'proj_1', environment: 'live' } as Principal,
      admission,
      plan: {
        answered: (_call, media) =>
          media.setHandler({
            enter: () => undefined,
            audio: () => undefined,
            key: () => undefined,
            leave: () => left.push('agent'),
          }),
        ended: () => undefined,
      },
      maxDurationMs: 60 * MINUTE_MS,
      recordsOn: false,
    },
  );
  const leg = {
    reference: 'CA1',
    transfer: async (_to: string, limitMs: number) => {
      limits.push(limitMs);
      await agrees();
      call.state({ kind: 'transferred' });
    },
    hangUp: async () => {
      hungUp.push('us');
      call.state({ kind: 'ended', end: { reason: 'completed', by: 'us' } });
    },
  };
  call.follow(Promise.resolve(leg as never));
  let frames = 0;
  const way = { frames: 0, lost: 0, late: 0, concealed: null, jitterMs: 0, clipped: null };
  const media = {
    bind: () => undefined,
    clear: () => undefined,
    stats: (): MediaStats => ({ received: { ...way, frames }, sent: way, mos: null }),
  } as unknown as MediaLeg;
  call.state({ kind: 'answered', media });
  const talks = async (ms: number) => {
    for (let at = 0; at < ms; at += 1000) {
      frames += 50;
      clock.advance(1000);
      await settle();
    }
  };
  const passes = async (ms: number) => {
    for (let at = 0; at < ms; at += 1000) {
      clock.advance(1000);
      await settle();
    }
  };
  return { call, ended, left, held, limits, hungUp, talks, passes };
}

describe('a transferred call that the carrier carries on', () => {
  it('is metered to the carrier’s end of it, though no sound comes any more, and says whom it went to', async () => {
    const { call, ended, left, limits, hungUp, talks, passes } = await answered(1_000 * MINUTE_MS);
    await talks(10_000);
    await call.transfer('+15005550004');
    expect([limits, left]).toEqual([[60 * MINUTE_MS - 10_000], ['agent']]);
    expect(call.media).toBeNull();
    await passes(3 * MINUTE_MS);
    expect([ended, hungUp]).toEqual([[], []]);
    call.state({ kind: 'ended', end: { reason: 'completed', by: 'them' } });
    await settle();
    expect(ended[0]).toMatchObject({
      talkedMs: 10_000 + 3 * MINUTE_MS,
      ending: { reason: 'completed', detail: 'transferred to +15005550004' },
    });
  });

  it('is bounded by what is paid for, at the carrier and here, and holds it all the while', async () => {
    const { call, ended, held, limits, hungUp, talks, passes } = await answered(2 * MINUTE_MS);
    await talks(10_000);
    await call.transfer('+15005550004');
    expect(limits).toEqual([2 * MINUTE_MS - 10_000]);
    await passes(60_000);
    expect(Math.min(...held.slice(held.lastIndexOf(27_000) + 1))).toBe(2 * MINUTE_MS);
    await passes(60_000);
    expect(hungUp).toEqual(['us']);
    expect(ended).toHaveLength(1);
  });

  it('goes on as it was, with seconds held ahead, where the carrier refuses', async () => {
    const refuses = async () => {
      throw new CarrierError('refused', 'no');
    };
    const { call, held, left, talks } = await answered(1_000 * MINUTE_MS, refuses);
    await talks(5_000);
    await expect(call.transfer('+15005550004')).rejects.toMatchObject({ kind: 'refused' });
    await talks(5_000);
    expect(held.at(-1)).toBe(27_000);
    expect([left, call.media === null]).toEqual([[], false]);
  });
});
