// @requirement Messaging apps: The provider is told of a call's end, and the end is recorded, though the database is away.
import { expect, it } from 'vitest';
import { type Principal, Sealer, tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { SYSTEM_ACTOR } from '../../../src/foundation/audit/index.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import type { MsgappCallRow } from '../../../src/foundation/storage/tables/msgapp.ts';
import {
  CallPermissions,
  MsgappCallStore,
  MsgappCalls,
  type MsgappCallsDeps,
  MsgappNumbers,
} from '../../../src/telephony/msgapp/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { outboxOn } from '../../foundation/webhooks/checked.ts';

const PERSON = '15550001111';
const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const TERMINATE = { callId: 'wacid.1', action: 'terminate' };
const settle = () => new Promise(setImmediate);

onBothDatabases('a call by a messaging app during an outage of the database', (databases) => {
  async function open() {
    const storage = await databases.open();
    const clock = new ManualClock();
    const access = new OneKeyAccess();
    const principal: Principal = access.principal();
    const scope = tenantScopeOf(principal);
    const sealer = new Sealer(Buffer.from('a secret of the test, long enough'), 'numbers');
    const numbers = new MsgappNumbers(storage, clock, sealer, { settings: async () => ({}) });
    const registered = await numbers.register(
      scope,
      {
        ...{ wabaId: '7', appId: '8', phoneNumberId: '1', phoneNumber: '+15551001000' },
        ...{ accessToken: 'token', appSecret: 'secret', verifyToken: 'verify' },
        keyId: principal.keyId as string,
      },
      SYSTEM_ACTOR,
    );
    const change = { agent_id: 'agt_1', calling_enabled: 1 };
    const row = await numbers.change(scope, registered.id, change, SYSTEM_ACTOR);
    const webhooks = outboxOn(storage, clock);
    const records = new MsgappCallStore(storage, clock, webhooks);
    const permissions = new CallPermissions(storage, clock);
    const reply = { accepted: true, permanent: true, until: null, at: null };
    await permissions.replied(scope, row.id, `+${PERSON}`, reply);
    const acts: unknown[] = [];
    const { transaction } = storage;
    const goAway = () => {
      storage.transaction = async () => {
        throw AWAY;
      };
    };
    const comeBack = () => {
      storage.transaction = transaction;
    };
    let connect = async () => 'wacid.1';
    const calls = new MsgappCalls({
      ...{ storage, clock, access, numbers, records, permissions },
      log: createLog({ level: 'silent' }),
      standings: { of: async () => principal },
      suppressed: async () => false,
      webrtc: { offer: async () => ({ peer: { close: () => undefined }, sdp: 'v=0' }) },
      provider: {
        connect: () => connect(),
        act: async (_account: unknown, action: unknown) => void acts.push(action),
      },
    } as unknown as MsgappCallsDeps);
    const place = () => calls.place(principal, row, `+${PERSON}`);
    const found = async (id: string) => (await records.get(scope, id)) as MsgappCallRow;
    const onConnect = (given: typeof connect) => {
      connect = given;
    };
    return { clock, row, webhooks, acts, calls, place, found, goAway, comeBack, onConnect };
  }

  it('is hung up at once, and recorded with its own time when the database is back', async () => {
    const { clock, row, webhooks, acts, calls, place, found, goAway, comeBack } = await open();
    const id = await place();
    goAway();
    const hungUp = calls.hangUp(row, await found(id));
    const endedAt = clock.now();
    await settle();
    expect([acts, (await found(id)).state]).toEqual([[TERMINATE], 'ringing']);
    clock.advance(10_000);
    await settle();
    comeBack();
    clock.advance(2_000);
    await hungUp;
    const ended = await found(id);
    expect(ended).toMatchObject({ state: 'ended', end_reason: 'canceled' });
    expect(Number(ended.ended_at)).toBe(endedAt);
    expect(webhooks.reported.map(({ type }) => type)).toEqual(['msgapp.call.ended']);
  });

  it('is recorded while its server stops, which does not wait for ever', async () => {
    const { clock, acts, calls, place, found, goAway, comeBack } = await open();
    const id = await place();
    goAway();
    const stopped = calls.stop();
    await settle();
    expect(acts).toEqual([TERMINATE]);
    comeBack();
    clock.advance(2_000);
    await stopped;
    expect(await found(id)).toMatchObject({ state: 'ended', end_reason: 'failed' });

    const other = await open();
    await other.place();
    other.goAway();
    const late = other.calls.stop();
    await settle();
    other.clock.advance(5_000);
    await late;
    expect(other.acts).toEqual([TERMINATE]);
  });

  it('does not ring where it could not be recorded', async () => {
    const { acts, place, goAway, onConnect } = await open();
    onConnect(async () => {
      goAway();
      return 'wacid.1';
    });
    await expect(place()).rejects.toThrow('ECONNREFUSED');
    await settle();
    expect(acts).toEqual([TERMINATE]);
  });
});
