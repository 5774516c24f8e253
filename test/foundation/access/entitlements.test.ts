import { expect, it } from 'vitest';
import { type IssuedKey, tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { bearer, openService, type TestService } from './access-service.ts';

const ROUTE = { kind: 'key', scope: 'telephony:manage', entitlement: 'telephony' } as const;
const DAY_MS = 24 * 3_600_000;

const opens = async ({ access }: TestService, key: IssuedKey) =>
  await access.authorize(bearer(key.text), ROUTE).then(
    () => 'open',
    (error: { code: string }) => error.code,
  );

onBothDatabases('entitlements', (databases) => {
  it('open a route to live keys alone, from the grant until it is taken back, and stand in the audit log', async () => {
    const storage = await databases.open();
    const service = await openService(storage);
    databases.after(() => service.access.close());
    const { entitlements } = service.access;
    const { orgId } = service.organization;
    const live = await service.makeKey();
    const sandbox = await service.makeKey({ environment: 'sandbox' });
    expect(await opens(service, live)).toBe('not_found');
    expect(await entitlements.set(orgId, 'telephony', true)).toEqual(['telephony']);
    expect(await entitlements.set(orgId, 'telephony', true)).toEqual(['telephony']);
    expect([await opens(service, live), await opens(service, sandbox)]).toEqual(['open', 'not_found']);
    expect(await entitlements.set(orgId, 'telephony', false)).toEqual([]);
    expect(await opens(service, live)).toBe('not_found');
    const deeds = await storage.db.selectFrom('audit_entries').select(['action', 'after']).execute();
    expect(deeds.filter(({ action }) => action === 'organization.entitlements_changed')).toEqual([
      { action: 'organization.entitlements_changed', after: '{"entitlements":["telephony"]}' },
      { action: 'organization.entitlements_changed', after: '{"entitlements":[]}' },
    ]);
    const names = 'telephony, messages, trace, call_integrations';
    await expect(entitlements.set(orgId, 'everything', true)).rejects.toThrow(names);
    await expect(entitlements.set('org_nobody', 'trace', true)).rejects.toThrow('no such organization');
  });

  it('are everybody’s where the network is this machine', async () => {
    const storage = await databases.open();
    const service = await openService(storage, { entitledForAll: ['telephony', 'messages'] });
    databases.after(() => service.access.close());
    const sandbox = await service.makeKey({ environment: 'sandbox' });
    expect(await opens(service, sandbox)).toBe('open');
    const standing = await service.access.impliedPrincipals.of(tenantScopeOf(sandbox));
    expect(standing?.entitlements).toEqual(['trace', 'call_integrations', 'telephony', 'messages']);
  });

  it('are taken over from the columns of older versions', async () => {
    const storage = await databases.open();
    const { entitlements } = (await openService(storage)).access;
    const columns = ['trace_entitled', 'calls_entitled'];
    const { ownership } = await import('../../../src/foundation/storage/migrations/0193-ownership.ts');
    const { orgId } = await (await import('../billing/organization.ts')).makeOrganization(storage);
    await storage.db
      .updateTable('organizations')
      .set({ trace_entitled: 1, calls_entitled: 1 })
      .where('id', '=', orgId)
      .execute();
    const moves = ownership
      .statements(storage.db as never, storage.dialect)
      .filter((one) => columns.some((column) => one.compile().sql.includes(column)));
    expect(moves).toHaveLength(2);
    for (const move of moves) await storage.db.executeQuery(move.compile() as never);
    expect(await entitlements.granted(orgId)).toEqual(['call_integrations', 'trace']);
  });
});

onBothDatabases('the standing of a project', (databases) => {
  it('is its plan, its entitlements and its credit, whatever became of its keys', async () => {
    const storage = await databases.open();
    const service = await openService(storage);
    databases.after(() => service.access.close());
    const { access, billing, organization } = service;
    await access.entitlements.set(organization.orgId, 'telephony', true);
    const key = await service.makeKey({ scopes: ['telephony:manage'], budgetMicros: 5_000 });
    const scope = tenantScopeOf(key);
    await access.keys.revoke(organization.orgId, key.id);
    const standing = await access.impliedPrincipals.of(scope);
    expect(standing).toMatchObject({ kind: 'project', keyId: null, plan: 'standard', expiresAt: null });
    expect(standing?.entitlements).toEqual(['telephony']);
    const admitted = () => access.admit(standing!, 'omni.call', { realtime: true });
    await expect(admitted()).rejects.toMatchObject({ code: 'credit_exhausted' });
    await billing.addCredit({ orgId: organization.orgId, amountMicros: 1_000_000 });
    const admission = await admitted();
    expect(await admission.recheck(1_000)).toBeGreaterThan(0);
    await admission.release();
    const charged = await access.impliedPrincipals.of(scope, key.id);
    await expect(
      access.admit(charged!, 'omni.call', { realtime: true }).then(({ recheck }) => recheck(60_000)),
    ).rejects.toMatchObject({ code: 'key_budget_exceeded' });
  });

  it('ends with an organization that nobody signs in to, and with its project', async () => {
    const storage = await databases.open();
    const service = await openService(storage);
    databases.after(() => service.access.close());
    const { access, clock } = service;
    const minted = await access.accounts.mintSandboxKey('192.0.2.1');
    const scope = tenantScopeOf(minted);
    await access.keys.revoke(minted.orgId, minted.id);
    expect(await access.impliedPrincipals.of(scope)).toMatchObject({
      environment: 'sandbox',
      plan: 'sandbox',
      expiresAt: clock.now() + DAY_MS,
    });
    clock.advance(DAY_MS);
    expect(await access.impliedPrincipals.of(scope)).toBeNull();
    expect(await access.impliedPrincipals.of({ ...scope, project: 'proj_nobody' })).toBeNull();
    expect(await access.impliedPrincipals.of({ ...scope, org: service.organization.orgId })).toBeNull();
  });
});
