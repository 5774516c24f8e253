// @requirement Messaging apps: Requests for permission and unanswered calls are limited as the provider demands.
import { expect, it } from 'vitest';
import {
  CallPermissions,
  MsgappCallStore,
  PERMISSION_RULES,
  type PermissionReply,
} from '../../../src/telephony/msgapp/index.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { outboxOn } from '../../foundation/webhooks/checked.ts';

const SCOPE = scopeFor('org_a');
const NUMBER = 'wan_a';
const PERSON = '+15550001111';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YES = { accepted: true, permanent: false, until: null };

onBothDatabases('a permission to call', (databases) => {
  async function open() {
    const clock = new ManualClock();
    const permissions = new CallPermissions(await databases.open(), clock);
    const ask = async () => {
      await permissions.mayAsk(SCOPE, NUMBER, PERSON);
      return await permissions.asked(SCOPE, NUMBER, PERSON);
    };
    const reply = (said: Omit<PermissionReply, 'at'>, at: number | null = null) => {
      clock.advance(1);
      return permissions.replied(SCOPE, NUMBER, PERSON, { ...said, at });
    };
    const of = () => permissions.of(SCOPE, NUMBER, PERSON);
    const call = (taken: boolean) => permissions.called(SCOPE, NUMBER, PERSON, taken);
    return { clock, permissions, ask, reply, of, call };
  }
  const refused = (seconds: number) => ({ code: 'rate_limit_exceeded', retryAfter: seconds });

  it('is asked for once a day and twice a week, to the millisecond', async () => {
    expect(PERMISSION_RULES).toEqual({
      requestsADay: 1,
      requestsAWeek: 2,
      grantHours: 168,
      unansweredRevoke: 4,
      connectedADay: 100,
    });
    const { clock, ask } = await open();
    expect(await ask()).toEqual({ status: 'asked', until: null });
    await expect(ask()).rejects.toMatchObject(refused(DAY / 1000));
    clock.advance(DAY - 1);
    await expect(ask()).rejects.toMatchObject(refused(1));
    clock.advance(1);
    await ask();
    clock.advance(DAY);
    await expect(ask()).rejects.toMatchObject(refused((5 * DAY) / 1000));
    clock.advance(5 * DAY);
    await ask();
    await expect(ask()).rejects.toMatchObject(refused(DAY / 1000));
  });

  // @requirement Messaging apps: A permission carries at most 100 connected calls in 24 h.
  it('is for so many calls a day that the person took', async () => {
    const clock = new ManualClock();
    const storage = await databases.open();
    const permissions = new CallPermissions(storage, clock, { ...PERMISSION_RULES, connectedADay: 2 });
    const records = new MsgappCallStore(storage, clock, outboxOn(storage, clock));
    const mayCall = () => permissions.mayCall(SCOPE, NUMBER, PERSON);
    const call = async (provider: string, direction: 'inbound' | 'outbound', taken: boolean) => {
      const people = { from_number: PERSON, to_number: PERSON, agent_id: null };
      const of = { number_id: NUMBER, provider_call_id: provider, direction };
      const id = (await records.begin(SCOPE, { ...of, ...people })) as string;
      if (taken) await records.answered(SCOPE, id, `ocl_${provider}`);
      clock.advance(HOUR);
    };
    await call('1', 'outbound', true);
    await call('2', 'inbound', true);
    await call('3', 'outbound', false);
    await mayCall();
    await call('4', 'outbound', true);
    await expect(mayCall()).rejects.toMatchObject(refused((20 * HOUR) / 1000));
    await permissions.mayCall(SCOPE, 'wan_b', PERSON);
    clock.advance(20 * HOUR);
    await mayCall();
  });

  it('is of one number and one person, and of no other organization', async () => {
    const { permissions, ask, reply } = await open();
    await ask();
    await reply(YES);
    for (const [scope, number, person] of [
      [scopeFor('org_b'), NUMBER, PERSON],
      [SCOPE, 'wan_b', PERSON],
      [SCOPE, NUMBER, '+15550002222'],
    ] as const) {
      expect(await permissions.of(scope, number, person)).toEqual({ status: 'none', until: null });
      await permissions.mayAsk(scope, number, person);
    }
  });

  it('lasts 168 hours, as long as the provider says, or for good', async () => {
    const { clock, reply, of } = await open();
    await reply(YES);
    const until = clock.now() + 168 * HOUR;
    clock.advance(168 * HOUR - 1);
    expect(await of()).toEqual({ status: 'granted', until });
    clock.advance(1);
    expect(await of()).toEqual({ status: 'expired', until });
    await reply({ ...YES, until: clock.now() + HOUR });
    clock.advance(HOUR);
    expect((await of()).status).toBe('expired');
    await reply({ accepted: true, permanent: true, until: null });
    clock.advance(400 * DAY);
    expect(await of()).toEqual({ status: 'granted', until: null });
    await reply({ accepted: false, permanent: false, until: null });
    expect(await of()).toEqual({ status: 'declined', until: null });
  });

  // @requirement Messaging apps: Replies that come twice or out of order revive no old permission.
  it('is as the last reply says, in whatever order and however often they come', async () => {
    const { clock, permissions, reply, of } = await open();
    const NO = { accepted: false, permanent: false, until: null };
    const first = clock.now();
    await reply(NO, first + HOUR);
    await reply(YES, first);
    expect((await of()).status).toBe('declined');
    await reply(YES, first + HOUR);
    expect((await of()).status).toBe('declined');
    await reply(YES, first + 2 * HOUR);
    expect(await of()).toEqual({ status: 'granted', until: first + 170 * HOUR });
    await permissions.revoke(SCOPE, NUMBER, PERSON);
    await reply(YES, first + 2 * HOUR);
    expect((await of()).status).toBe('revoked');
  });

  it('is taken away by the fourth call in a row that nobody takes, and by no three', async () => {
    const { reply, of, call, permissions } = await open();
    await reply(YES);
    for (const taken of [false, false, false, true, false, false, false]) await call(taken);
    expect((await of()).status).toBe('granted');
    await call(false);
    expect(await of()).toEqual({ status: 'revoked', until: null });
    await reply(YES);
    for (let n = 0; n < 3; n += 1) await call(false);
    expect((await of()).status).toBe('granted');
    await permissions.revoke(SCOPE, NUMBER, PERSON);
    expect((await of()).status).toBe('revoked');
  });

  it('that stands is not taken back by asking for another', async () => {
    const { clock, ask, reply, of } = await open();
    await reply(YES);
    const { until } = await of();
    clock.advance(DAY);
    expect(await ask()).toEqual({ status: 'granted', until });
  });
});
