// @requirement Telephony: Numbers are searched, provisioned, quarantined and configured.
import { expect, it } from 'vitest';
import { SYSTEM_ACTOR } from '../../../src/foundation/audit/index.ts';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { loopbackNumbers } from '../../../src/telephony/carriers/loopback/numbers.ts';
import { PhoneNumberService, releaseAllNumbers } from '../../../src/telephony/dialling/index.ts';
import { bearer, openService } from '../../foundation/access/access-service.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const offered = (count: number): string => `+121255501${String(count).padStart(2, '0')}`;

onBothDatabases('the numbers of an organization', (databases) => {
  async function open() {
    const storage = await databases.open();
    const opened = await openService(storage);
    databases.after(() => opened.access.close());
    const released: string[] = [];
    let refuses = false;
    const release = async ({ phoneNumber }: { phoneNumber: string }) => {
      if (refuses) throw new Error('away');
      released.push(phoneNumber);
    };
    const service = new PhoneNumberService({
      storage,
      clock: opened.clock,
      cases: { asksBeforeOrder: () => null, hasApproved: async () => false },
      carrier: { name: 'loopback', numbers: { ...loopbackNumbers, release } },
      access: opened.access,
      hasAgent: async () => true,
      checkTarget: () => {},
    });
    const caller = async (environment: 'live' | 'sandbox') => {
      const key = await opened.makeKey({ environment });
      return (await opened.access.authorize(bearer(key.text), { kind: 'key' })).principal!;
    };
    const away = (is: boolean) => {
      refuses = is;
    };
    const giveBack = (org: string, by = SYSTEM_ACTOR, projectId?: string) =>
      releaseAllNumbers({ storage, numbers: service }, org, by, projectId);
    return { ...opened, service, caller, released, away, giveBack };
  }

  it('are bought on credit alone, and nothing stays held for them', async () => {
    const { storage, service, caller, billing, organization } = await open();
    const principal = await caller('live');
    const buy = () => service.provision(principal, offered(1), null, SYSTEM_ACTOR);
    await expect(buy()).rejects.toMatchObject({ code: 'credit_exhausted' });
    await billing.addCredit({ orgId: organization.orgId, amountMicros: 10_000 });
    expect(await buy()).toMatchObject({ phone_number: offered(1), status: 'active' });
    expect(await storage.db.selectFrom('usage_holds').select('id').execute()).toEqual([]);
  });

  it('are as many as the plan allows, also of many that are asked for at once', async () => {
    const { service, caller, access } = await open();
    await access.plans.put('sandbox', { numbers_max: 2 });
    const principal = await caller('sandbox');
    const asked = await Promise.allSettled(
      [1, 2, 3, 4].map((count) => service.provision(principal, offered(count), null, SYSTEM_ACTOR)),
    );
    const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(refused).toEqual(['numbers_max_exceeded', 'numbers_max_exceeded']);
    const bought = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const { org_id: org, project_id: project } = bought[0]!;
    const scope = { org, project, environment: 'sandbox' } as never;
    await service.release(scope, bought[0]!.id, SYSTEM_ACTOR);
    await service.provision(principal, offered(5), null, SYSTEM_ACTOR);
  });

  it('count over both environments', async () => {
    const { service, caller, billing, organization } = await open();
    await billing.addCredit({ orgId: organization.orgId, amountMicros: 10_000 });
    const [sandbox, live] = [await caller('sandbox'), await caller('live')];
    await service.provision(sandbox, offered(1), null, SYSTEM_ACTOR);
    const one = { ...live, limits: { ...live.limits, numbersMax: 1 } };
    await expect(service.provision(one, offered(2), null, SYSTEM_ACTOR)).rejects.toMatchObject({
      code: 'numbers_max_exceeded',
    });
  });

  it('go back to the carrier, all of them, and are tried again where it keeps one', async () => {
    const { service, caller, released, away, giveBack, organization } = await open();
    const principal = await caller('sandbox');
    for (const count of [1, 2]) await service.provision(principal, offered(count), null, SYSTEM_ACTOR);
    away(true);
    await expect(giveBack(organization.orgId, SYSTEM_ACTOR)).rejects.toThrow('away');
    away(false);
    await giveBack('org_other', SYSTEM_ACTOR);
    await giveBack(organization.orgId, SYSTEM_ACTOR, 'proj_other');
    expect(released).toEqual([]);
    await giveBack(organization.orgId, SYSTEM_ACTOR);
    expect(released.sort()).toEqual([offered(1), offered(2)]);
    await giveBack(organization.orgId, SYSTEM_ACTOR);
    expect(released).toHaveLength(2);
  });

  it('stay known while they are rented at the carrier that was configured before', async () => {
    const { storage, service, caller, organization } = await open();
    const principal = await caller('sandbox');
    await service.provision(principal, offered(1), null, SYSTEM_ACTOR);
    const giveBack = (numbers: PhoneNumberService | null) =>
      releaseAllNumbers({ storage, numbers }, organization.orgId, SYSTEM_ACTOR);
    // A number of the loopback network costs nothing.
    await giveBack(null);
    const all = acrossTenants(storage.db);
    await all.updateTable('telephony_numbers').set({ carrier: 'twilio' }).execute();
    for (const numbers of [null, service]) await expect(giveBack(numbers)).rejects.toThrow(offered(1));
    await all.updateTable('telephony_numbers').set({ status: 'pending_compliance' }).execute();
    await giveBack(service);
  });
});
