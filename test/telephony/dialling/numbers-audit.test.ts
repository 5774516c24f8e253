// @requirement Audit log: The audit log records who did what from where, and can be exported.
import { expect, it } from 'vitest';
import { Sealer, tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { type AuditActor, brokenChains } from '../../../src/foundation/audit/index.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import { loopbackNumbers } from '../../../src/telephony/carriers/loopback/numbers.ts';
import { PhoneNumberService } from '../../../src/telephony/dialling/index.ts';
import { MsgappNumbers } from '../../../src/telephony/msgapp/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const OFFERED = '+12125550100';
const principal = new OneKeyAccess().principal();
const ours = tenantScopeOf(principal);
const theirs = scopeFor('org_b');
const ana: AuditActor = { kind: 'key', id: 'key_ana', from: '203.0.113.7', requestId: 'req_1' };

const serviceOf = (storage: Storage) =>
  new PhoneNumberService({
    storage,
    clock: new ManualClock(),
    carrier: { name: 'loopback', numbers: loopbackNumbers },
    access: new OneKeyAccess(),
    cases: { asksBeforeOrder: () => null, hasApproved: async () => false },
    hasAgent: async () => true,
    checkTarget: () => {},
  });

async function entriesOf(storage: Storage) {
  expect(await brokenChains(storage.db)).toEqual([]);
  const rows = await storage.db.selectFrom('audit_entries').selectAll().orderBy('sequence').execute();
  return rows.map(({ before, after, ...row }) => ({
    ...row,
    before: JSON.parse(before ?? 'null'),
    after: JSON.parse(after ?? 'null'),
  }));
}

onBothDatabases('the log of numbers', (databases) => {
  it('says who took, changed and gave back a number, and of addresses their hosts alone', async () => {
    const storage = await databases.open();
    const service = serviceOf(storage);
    const { id } = await service.provision(principal, OFFERED, 'agt_1', ana);
    const url = 'https://crm.example.com/of-the-path?token=of-the-query';
    const settings = { route: { kind: 'url' as const, url }, webhook_url: url };
    await service.change(ours, id, { agent_id: null, settings }, ana);
    await expect(service.change(theirs, id, { agent_id: null }, ana)).rejects.toThrow('no such number');
    await expect(service.release(theirs, id, ana)).rejects.toThrow('no such number');
    await service.release(ours, id, ana);
    await service.release(ours, id, ana);
    const entries = await entriesOf(storage);
    expect(entries.map(({ action, target, actor_id, org_id }) => [action, target, actor_id, org_id])).toEqual(
      ['provisioned', 'changed', 'released'].map((what) => [`number.${what}`, id, 'key_ana', ours.org]),
    );
    const [taken, changed, released] = entries;
    expect(taken?.before).toBeNull();
    const before = { phone_number: OFFERED, agent_id: 'agt_1', settings: { webhook_host: null } };
    expect(changed?.before).toMatchObject({ ...before, status: 'active' });
    expect(changed?.after).toMatchObject({
      agent_id: null,
      settings: { webhook_host: 'crm.example.com', route: { kind: 'url', host: 'crm.example.com' } },
    });
    expect([released?.before.status, released?.after.status]).toEqual(['active', 'released']);
    expect(JSON.stringify(entries)).not.toMatch(/of-the-(path|query)/);
  });

  it('says which numbers no longer show one that was given back', async () => {
    const storage = await databases.open();
    const service = serviceOf(storage);
    const [one, other, shown] = [
      await service.provision(principal, '+12125550101', null, ana),
      await service.provision(principal, '+12125550102', null, ana),
      await service.provision(principal, OFFERED, null, ana),
    ];
    for (const { id } of [one, shown])
      await service.change(ours, id, { settings: { caller_id: OFFERED, consent_line: 'Hi.' } }, ana);
    await service.change(ours, other.id, { settings: { caller_id: one.phone_number } }, ana);
    await service.release(ours, shown.id, ana);
    const callerId = async (id: string) => {
      const { caller_id, consent_line } = JSON.parse((await service.find(ours, id)).settings);
      return { caller_id, consent_line };
    };
    expect(await callerId(one.id)).toEqual({ caller_id: null, consent_line: 'Hi.' });
    expect(await callerId(other.id)).toEqual({ caller_id: one.phone_number, consent_line: '' });
    const last = (await entriesOf(storage)).slice(-2).map(({ action, target }) => [action, target]);
    expect(last).toEqual([
      ['number.released', shown.id],
      ['number.changed', one.id],
    ]);
  });

  it('says nothing of a number that could not be had, nor of a change that was refused', async () => {
    const storage = await databases.open();
    const service = serviceOf(storage);
    await expect(service.provision(principal, '+99900000000', null, ana)).rejects.toThrow('not offered');
    const undone = service.provision(principal, OFFERED, null, ana, () =>
      Promise.reject(new Error('undone')),
    );
    await expect(undone).rejects.toThrow('undone');
    expect(await service.list(ours, {}, null)).toEqual([]);
    const { id } = await service.provision(principal, OFFERED, null, ana);
    const settings = { caller_id: '+12125550199' };
    await expect(service.change(ours, id, { settings }, ana)).rejects.toThrow('one of your own');
    expect((await entriesOf(storage)).map(({ action }) => action)).toEqual(['number.provisioned']);
  });

  it('says who registered, changed and released a number of a messaging app, without its secrets', async () => {
    const storage = await databases.open();
    const clock = new ManualClock();
    const sealer = new Sealer(Buffer.from('a secret of the test, long enough'), 'numbers');
    const numbers = new MsgappNumbers(storage, clock, sealer, { settings: async () => ({}) });
    const secrets = { accessToken: 'canary-a', appSecret: 'canary-b', verifyToken: 'canary-c' };
    const about = { keyId: 'key_a', wabaId: '7', appId: '8', phoneNumberId: '1', phoneNumber: OFFERED };
    const { id } = await numbers.register(ours, { ...secrets, ...about }, ana);
    await expect(numbers.register(ours, { ...secrets, ...about }, ana)).rejects.toThrow('already');
    const calling = { status: 'ENABLED', sip: { servers: [{ password: 'canary-d' }] } };
    const change = { calling_enabled: 1, calling_settings: JSON.stringify(calling), agent_id: 'agt_1' };
    await numbers.change(ours, id, change, ana);
    await expect(numbers.release(theirs, id, ana)).rejects.toThrow('no such number');
    await numbers.release(ours, id, ana);
    await numbers.release(ours, id, ana);
    const entries = await entriesOf(storage);
    expect(entries.map(({ action, target, actor_id }) => [action, target, actor_id])).toEqual(
      ['registered', 'changed', 'released'].map((what) => [`msgapp_number.${what}`, id, 'key_ana']),
    );
    const [, changed] = entries;
    expect(changed?.before).toMatchObject({ agent_id: null, calling: {} });
    expect(changed?.after).toMatchObject({ agent_id: 'agt_1', calling: { status: 'ENABLED' } });
    expect(JSON.stringify(entries)).not.toContain('canary');
  });
});
