// @requirement Telephony: A hang-up reaches a call at any moment of its dial, whichever node is asked.
import { expect, it } from 'vitest';
import { ownerOfCall } from '../../../src/conversation/calls/index.ts';
import { type Principal, tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { NodeRegistry } from '../../../src/foundation/nodes/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import type {
  TelephonyCallRow,
  TelephonyNumberRow,
} from '../../../src/foundation/storage/tables/telephony.ts';
import type { CarrierCall, LegListener } from '../../../src/telephony/carriers/index.ts';
import {
  CallCommands,
  CallDispatcher,
  hangUpCall,
  LivePhoneCalls,
  TelephonyCallStore,
} from '../../../src/telephony/dialling/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const principal: Principal = { ...new OneKeyAccess().principal(), entitlements: ['telephony'] };
const scope = tenantScopeOf(principal);
const NUMBER = { id: 'num_1', phone_number: '+14155550100', settings: '{}' } as TelephonyNumberRow;
const CANCELED = { state: 'ended', end_reason: 'canceled', end_detail: 'hung up by request' };

onBothDatabases('a call that is being dialed', (databases) => {
  async function open({ admit = async () => undefined }: { admit?: () => Promise<void> } = {}) {
    const storage = await databases.open();
    const clock = new ManualClock();
    const background = new BackgroundTasks({ clock });
    const billing = createBilling({ storage, clock, background });
    const log = createLog({ level: 'silent' });
    const records = new TelephonyCallStore({
      storage,
      clock,
      billing,
      webhooks: { publish: async () => null },
    });
    const queue = new JobQueue(storage, clock);
    await new NodeRegistry({ storage, clock, background }).sweep();
    const [here, elsewhere] = [new LivePhoneCalls(clock, records), new LivePhoneCalls(clock, records)];
    const placed: string[] = [];
    const admission = { reservationId: null, release: async () => undefined, settling: () => undefined };
    const dispatcher = new CallDispatcher({
      ...{ storage, clock, log, queue, records, phones: here },
      access: {
        admit: async () => {
          await admit();
          return admission;
        },
      },
      carrier: {
        name: 'loopback',
        incoming: () => undefined,
        place: async ({ id }: { id: string }, listener: LegListener) => {
          placed.push(id);
          const hangUp = async () => listener.state({ kind: 'ended', end: { reason: 'canceled' } as never });
          return { reference: 'CA1', hangUp } as unknown as CarrierCall;
        },
      },
      numbers: { owned: async () => NUMBER },
      campaigns: { permits: async () => true },
      guards: {
        checkTarget: () => undefined,
        check: async () => undefined,
        checkInClaim: async () => undefined,
      },
      obstacles: { isQuiet: () => false },
      gate: async () => ({ allowed: true, reasons: [] }),
      agents: { live: {} },
      standings: { of: async () => principal },
      reserveLane: () => ({ release: () => undefined }),
    } as unknown as ConstructorParameters<typeof CallDispatcher>[0]);
    const commandsOf = (nodeId: string, phones: LivePhoneCalls) =>
      new CallCommands({
        storage: {
          nodeId,
          notify: (...message: Parameters<Storage['notify']>) => storage.notify(...message),
          listen: (...listener: Parameters<Storage['listen']>) => storage.listen(...listener),
        },
        ...{ clock, phones },
        ownerOf: (_scope, id) => ownerOfCall(storage.db, scope, id),
        transfers: { transfer: () => expect.fail('nothing is transferred') },
        supervisors: { whisper: () => expect.fail('nobody whispers') },
        onError: (error) => expect(error).toBeNull(),
      });
    const nodes = {
      here: { phones: here, commands: commandsOf(storage.nodeId, here) },
      elsewhere: { phones: elsewhere, commands: commandsOf('node_other', elsewhere) },
    };
    databases.after(async () => {
      await dispatcher.stop(0);
      for (const { commands } of Object.values(nodes)) commands.stop();
    });
    const place = () =>
      storage.transaction((trx) =>
        dispatcher.place(
          trx,
          principal,
          { from: NUMBER.phone_number, to: '+15005550001', agent_id: 'agt_1' },
          { number: NUMBER, to: '+15005550001' },
        ),
      );
    const found = async (row: TelephonyCallRow) => await records.find(scope, row.id);
    const hangUp = (at: keyof typeof nodes, row: TelephonyCallRow) =>
      hangUpCall({ ...nodes[at], dispatcher, records }, scope, row);
    return { storage, records, dispatcher, here, placed, place, found, hangUp };
  }

  it.each(['here', 'elsewhere'] as const)(
    'is not dialed where the hang-up comes %s before the node knows of its claim',
    async (at) => {
      const { storage, dispatcher, here, placed, place, found, hangUp } = await open();
      const row = await place();
      const { transaction } = storage;
      let claimed: () => void = () => undefined;
      let goOn: () => void = () => undefined;
      const isClaimed = new Promise<void>((resolve) => {
        claimed = resolve;
      });
      const knowsOfIt = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      storage.transaction = (async (...work: Parameters<typeof transaction>) => {
        const result = await transaction.apply(storage, work);
        if ((await found(row))?.dialed_at != null) {
          storage.transaction = transaction;
          claimed();
          await knowsOfIt;
        }
        return result;
      }) as typeof transaction;
      dispatcher.start((error) => expect(error).toBeNull());
      await isClaimed;
      await hangUp(at, row);
      expect(await found(row)).toMatchObject({ state: 'queued' });
      goOn();
      await expect.poll(() => found(row)).toMatchObject(CANCELED);
      expect([placed, here.size]).toEqual([[], 0]);
    },
  );

  it('is hung up by the node that dials it, before the telephone rings', async () => {
    const { dispatcher, here, placed, place, found, hangUp } = await open();
    const row = await place();
    dispatcher.start((error) => expect(error).toBeNull());
    await expect.poll(() => here.size).toBe(1);
    expect(await found(row)).toMatchObject({ state: 'queued' });
    await hangUp('elsewhere', row);
    await expect.poll(() => found(row)).toMatchObject(CANCELED);
    expect(placed).toEqual([row.id]);
  });

  it('is not dialed where it is hung up while its dial is admitted', async () => {
    let admitted: () => void = () => undefined;
    const admit = () =>
      new Promise<void>((resolve) => {
        admitted = resolve;
      });
    const { storage, records, dispatcher, placed, place, found, hangUp } = await open({ admit });
    const row = await place();
    await storage.transaction((trx) => records.claim(trx, scope, row.id));
    const plan = { answered: () => undefined, ended: () => undefined };
    const settings = {} as Parameters<typeof dispatcher.dial>[0]['settings'];
    const dialed = dispatcher.dial({ principal, row, plan, settings });
    await hangUp('here', row);
    admitted();
    expect(await dialed).toBeNull();
    await expect.poll(() => found(row)).toMatchObject(CANCELED);
    expect(placed).toEqual([]);
  });

  it('is canceled before its claim, and unchanged after its end', async () => {
    const { place, found, hangUp } = await open();
    const row = await place();
    await hangUp('elsewhere', row);
    const ended = await found(row);
    expect(ended).toMatchObject({ state: 'ended', end_reason: 'canceled' });
    await hangUp('here', row);
    expect(await found(row)).toEqual(ended);
  });

  it('is refused where no node has it', async () => {
    const { storage, records, place, hangUp } = await open();
    const row = await place();
    await storage.transaction((trx) => records.claim(trx, scope, row.id));
    await expect(hangUp('here', row)).rejects.toMatchObject({ code: 'call_not_live' });
  });
});
