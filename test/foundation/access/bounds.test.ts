// @requirement Fair use: An organization has a bounded number of keys.
import { expect, it } from 'vitest';
import { onBothDatabases } from '../storage/databases.ts';
import { openService } from './access-service.ts';

onBothDatabases('an organization', (databases) => {
  it('has at most a hundred keys that live, of both environments together', async () => {
    const { access, makeKey, organization } = await openService(await databases.open());
    databases.after(() => access.close());
    const keys = [];
    for (let count = 0; count < 100; count += 1)
      keys.push(await makeKey({ environment: count % 2 ? 'live' : 'sandbox' }));
    const full = expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringContaining('100'),
    });
    for (const environment of ['live', 'sandbox'] as const)
      await expect(makeKey({ environment })).rejects.toEqual(full);
    const by = { kind: 'operator', id: 'test', from: null, requestId: null } as const;
    await access.keys.revoke(organization.orgId, keys[0]?.id ?? '', { by });
    await makeKey();
    await expect(makeKey()).rejects.toEqual(full);
  });

  it('finds who changed its origins, from what and to what, in its log', async () => {
    const storage = await databases.open();
    const { access, organization } = await openService(storage);
    databases.after(() => access.close());
    const by = { kind: 'user', id: 'usr_1', from: '203.0.113.7', requestId: 'req_1' } as const;
    const { orgId } = organization;
    await access.origins.replace(orgId, ['https://b.example', 'https://a.example'], by);
    await access.origins.replace(orgId, ['https://a.example', 'https://b.example/'], by);
    await access.origins.replace(orgId, [], by);
    const entries = await storage.db
      .selectFrom('audit_entries')
      .select(['actor_id', 'source', 'request_id', 'before', 'after'])
      .where('org_id', '=', orgId)
      .where('action', '=', 'origins.changed')
      .orderBy('sequence')
      .execute();
    const both = JSON.stringify({ origins: ['https://a.example', 'https://b.example'] });
    const none = JSON.stringify({ origins: [] });
    const who = { actor_id: 'usr_1', source: '203.0.113.7', request_id: 'req_1' };
    expect(entries).toEqual([
      { ...who, before: none, after: both },
      { ...who, before: both, after: none },
    ]);
  });
});
