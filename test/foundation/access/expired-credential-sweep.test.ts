import { expect, it } from 'vitest';
import { ExpiredCredentialSweep } from '../../../src/foundation/access/expired-credential-sweep.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { bearer, openService, presented } from './access-service.ts';

const DAY = 86_400_000;

onBothDatabases('upkeep', (databases) => {
  it('removes sessions, tokens and grants a month after they were over, and nothing that counts', async () => {
    const service = await openService(await databases.open());
    const { access, clock, storage } = service;
    await access.accounts.signUp({ email: 'ana@example.com', password: 'long enough' }, '203.0.113.7');
    const ended = await access.sessions.signIn('ana@example.com', 'long enough');
    const { principal } = await access.authorize(bearer(ended.token), { kind: 'user' });
    await access.sessions.revoke(principal!.credentialId);
    await access.sessions.signIn('ana@example.com', 'long enough');
    const key = await service.makeKey();
    const holder = (await access.authorize(bearer(key.text), { kind: 'key' })).principal!;
    await access.origins.replace(key.orgId, ['https://shop.example']);
    await access.browserTokens.mint(holder, {
      origin: 'https://shop.example',
      agentId: null,
      ttlSeconds: 30,
    });
    const sweeper = new ExpiredCredentialSweep(storage, clock, new BackgroundTasks({ clock }));
    const counts = async () => {
      await sweeper.sweep();
      const count = async (table: 'console_sessions' | 'browser_tokens' | 'network_grants' | 'api_keys') =>
        (await storage.db.selectFrom(table).selectAll().execute()).length;
      return [
        await count('console_sessions'),
        await count('browser_tokens'),
        await count('network_grants'),
        await count('api_keys'),
      ];
    };
    expect(await counts()).toEqual([2, 1, 1, 2]);
    clock.advance(30 * DAY);
    expect(await counts()).toEqual([2, 1, 1, 2]);
    clock.advance(60_000);
    expect(await counts()).toEqual([1, 0, 0, 2]);
    clock.advance(30 * DAY);
    expect(await counts()).toEqual([0, 0, 0, 2]);
    sweeper.close();
    access.close();
  });

  it('counts who passed and who was refused', async () => {
    const { access, makeKey } = await openService(await databases.open());
    const key = await makeKey();
    const { principal } = await access.authorize(bearer(key.text), { kind: 'key' });
    await access.authorize(presented(), { kind: 'public' });
    await access.authorize(presented(), { kind: 'key' }).catch(() => {});
    await access.admit(principal!, 'hear.stream', { realtime: true }).catch(() => {});
    access.watchRevocation(principal!, () => {});
    expect(access.metrics()).toEqual({
      authorized_total: 1,
      refused_missing_api_key_total: 1,
      refused_credit_exhausted_total: 1,
      live_sessions: 0,
      holds: 0,
      watched_credentials: 1,
    });
    expect(access.parts()).toEqual([]);
    access.close();
  });
});
