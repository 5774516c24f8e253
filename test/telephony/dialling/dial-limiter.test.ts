/** Whom a call may be sent to by its number's settings and by transfers: asked when it is saved, and again before the carrier is. */
import { describe, expect, it } from 'vitest';
import type { AccessControl, Admission, Principal } from '../../../src/foundation/access/contract.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { ApiError } from '../../../src/foundation/platform/errors.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import type { TelephonyNumberRow } from '../../../src/foundation/storage/tables/telephony.ts';
import { CarrierError } from '../../../src/telephony/carriers/index.ts';
import { checkRoute } from '../../../src/telephony/dialling/check-route.ts';
import { DialAdmission, DialLimiter, Transfers } from '../../../src/telephony/dialling/index.ts';
import type { PhoneCall } from '../../../src/telephony/dialling/phone-call.ts';

const LIMITS = { countries: ['US'], callsAMinute: 3, concurrent: 2, minutesADay: null };
const guards = new DialLimiter({} as Storage, systemClock, LIMITS, { ofNumber: async () => 0n });
const refusal = async (work: () => unknown) => {
  try {
    await work();
    return null;
  } catch (error) {
    const { code, param } = error as ApiError;
    return [code, param];
  }
};

describe('what a number’s settings send calls to', () => {
  const check = (change: Parameters<typeof checkRoute>[0]) =>
    refusal(() => checkRoute(change, 'sip', (to, param) => guards.checkTarget(to, param)));

  it.each([
    ['sip:+882161234567@trunk', 'destination_not_allowed'],
    ['sips:%2b882161234567@trunk.example.com', 'destination_not_allowed'],
    ['sip:00882161234567@trunk.example.com', 'invalid_request'],
    ['+882161234567', 'destination_not_allowed'],
  ])('refuses a forward to %s', async (to, code) => {
    expect(await check({ route: { kind: 'forward', to } })).toEqual([code, 'settings.route.to']);
  });

  it.each(['sip:+14155550111@trunk.example.com', 'sip:2001@pbx.example.com', '+14155550111'])(
    'takes a forward to %s',
    async (to) => {
      expect(await check({ route: { kind: 'forward', to } })).toBeNull();
    },
  );

  it('refuses a fallback to a country that is not called', async () => {
    const refused = await check({ fallback: { kind: 'transfer', to: '+79161234567' } });
    expect(refused).toEqual(['destination_not_allowed', 'settings.fallback.to']);
  });
});

describe('what keeps a number from calling anybody', () => {
  const NUMBER = { settings: '{}' } as TelephonyNumberRow;
  const caller = { orgId: 'org_1', projectId: 'proj_1', environment: 'live' } as Principal;
  const ask = async (admit: AccessControl['admit'], settings = '{}') => {
    const obstacles = new DialAdmission({
      clock: systemClock,
      access: { admit },
      guards: { check: async () => undefined },
    });
    return await obstacles.check(caller, { ...NUMBER, settings });
  };

  it('is missing credit, which is asked for again, and nothing that is held', async () => {
    const missing = async () => {
      throw new ApiError('credit_exhausted', 'nothing is left');
    };
    expect(await ask(missing)).toEqual({ code: 'credit_exhausted', afterMs: 60_000 });
    let released = 0;
    const admission = { release: async () => void released++ } as unknown as Admission;
    expect(await ask(async () => admission)).toBeNull();
    expect(released).toBe(1);
  });

  it('is its quiet hours', async () => {
    const quiet_hours = { from: '00:00', to: '23:59', time_zone: 'UTC' };
    const never = () => expect.fail('credit is not asked for');
    expect(await ask(never, JSON.stringify({ quiet_hours }))).toMatchObject({ code: 'quiet_hours' });
  });
});

describe('a call that its carrier is to connect with somebody else', () => {
  const open = (more: { full?: boolean; fault?: Error } = {}) => {
    const done: string[] = [];
    const asks = Object.assign(Object.create(guards) as DialLimiter, {
      checkTarget: guards.checkTarget.bind(guards),
      check: async () => {
        done.push('asked');
        if (more.full) throw new ApiError('rate_limit_exceeded', 'too many');
      },
    });
    const transfers = new Transfers({
      guards: asks,
      desk: { owned: async () => ({}) },
      records: {
        find: async () => ({ direction: 'inbound', to_number: '+14155550100' }),
        transferring: async () => void done.push('counted'),
      },
    } as unknown as ConstructorParameters<typeof Transfers>[0]);
    const call = {
      id: 'tcl_1',
      transfer: async (to: string) => {
        if (more.fault !== undefined) throw more.fault;
        done.push(to);
      },
    } as unknown as PhoneCall;
    return { done, cold: (to: string) => refusal(() => transfers.cold(call, to)) };
  };

  it('counts as one that is dialed, before the carrier is asked', async () => {
    const { done, cold } = open();
    expect(await cold('+14155550111')).toBeNull();
    expect(done).toEqual(['asked', 'counted', '+14155550111']);
  });

  it('is not connected with whom this server does not call, though the settings were saved', async () => {
    const { done, cold } = open();
    expect(await cold('sip:+882161234567@trunk')).toEqual(['destination_not_allowed', 'to']);
    expect(done).toEqual([]);
  });

  it('waits for nobody where the organization dials too much', async () => {
    const { done, cold } = open({ full: true });
    expect(await cold('+14155550111')).toEqual(['rate_limit_exceeded', null]);
    expect(done).toEqual(['asked']);
  });

  it('says what the carrier refused', async () => {
    const { cold } = open({ fault: new CarrierError('refused', 'no') });
    expect(await cold('+14155550111')).toEqual(['transfer_refused', 'to']);
  });
});
