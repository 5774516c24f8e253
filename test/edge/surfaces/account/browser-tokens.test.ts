// @requirement Browser calls: A browser token is spent when the session begins.
import { expect, it } from 'vitest';
import type { Principal } from '../../../../src/foundation/access/contract.ts';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { accountsOn } from './accounts.ts';

onBothDatabases('browser tokens', (databases) => {
  const { open, signIn } = accountsOn(databases);

  it('opens one session with a browser token, from its origin, while that is allowed', async () => {
    const app = await open();
    const user = await signIn(app);
    const key = (await app.ask('POST', '/v1/keys', { key: user, body: { environment: 'sandbox' } })).body
      .api_key;
    const mint = (origin: string, more = {}) =>
      app.ask('POST', '/v1/omni/sessions', { key, body: { origin, ...more } });
    expect((await mint('https://shop.example')).body.error.code).toBe('origin_not_allowed');
    const put = await app.ask('PUT', '/v1/omni/origins', {
      key: user,
      body: { origins: ['https://SHOP.example/', 'http://localhost:3000'] },
    });
    expect(put.body).toEqual({
      object: 'omni.origins',
      origins: ['http://localhost:3000', 'https://shop.example'],
    });
    expect((await app.ask('GET', '/v1/omni/origins', { key: user })).body).toEqual(put.body);
    for (const origin of ['http://shop.example', 'https://shop.example/path', 'shop.example', '*']) {
      const bad = await app.ask('PUT', '/v1/omni/origins', { key: user, body: { origins: [origin] } });
      expect([bad.status, bad.body.error.param]).toEqual([400, 'origins.0']);
    }
    const agent = await mint('https://shop.example', { agent_id: 'a\u0007' });
    expect([agent.status, agent.body.error.code]).toEqual([400, 'invalid_agent_id']);
    app.clock.advance(2000);
    const minted = await mint('https://shop.example', { agent_id: 'agt_1', ttl_s: 30 });
    expect(minted.status).toBe(201);
    expect(minted.body).toMatchObject({
      object: 'omni.session',
      expires_at: app.clock.now() + 30_000,
      url: 'wss://voice.example/v1/omni?format=pcm16&rate=16000&agent_id=agt_1',
    });
    const called = await mint('https://shop.example', { agent_id: 'agt_1', transport: 'webrtc' });
    expect(called.body.url).toBe('https://voice.example/v1/omni/webrtc?agent_id=agt_1');
    const rated = await mint('https://shop.example', { transport: 'webrtc', rate: 8000 });
    expect([rated.status, rated.body.error.param]).toEqual([400, 'rate']);
    const SESSION = { kind: 'key', scope: 'omni:session', browser: true } as const;
    const arrive = (token: string, origin?: string) =>
      app.access
        .authorize(
          {
            authorization: undefined,
            apiKeyHeader: undefined,
            apiKeyQuery: undefined,
            protocols: ['svc.v1', `svc-key.${token}`],
            cookie: undefined,
            origin,
            host: 'voice.example',
            remoteAddress: '198.51.100.1',
          },
          SESSION,
        )
        .then(async ({ principal }) => {
          const admission = await app.access.admit(principal as Principal, 'omni.call', { realtime: true });
          leave = () => {
            admission.release();
            return app.access.restore(principal as Principal);
          };
          return principal;
        })
        .catch((error) => error.code);
    let leave = async (): Promise<void> => {};
    const { token } = minted.body;
    expect(await arrive(token)).toBe('origin_not_allowed');
    expect(await arrive(token, 'https://evil.example')).toBe('origin_not_allowed');
    expect(
      (await app.ask('GET', '/v1/me', { key: token, headers: { origin: 'https://shop.example' } })).status,
    ).toBe(403);
    expect(await arrive(token, 'https://shop.example')).toMatchObject({ kind: 'browser_token' });
    await leave();
    const both = await Promise.all([
      arrive(token, 'https://shop.example'),
      arrive(token, 'https://shop.example'),
    ]);
    expect(both).toContainEqual('unauthorized');
    expect(both).toContainEqual(
      expect.objectContaining({
        kind: 'browser_token',
        environment: 'sandbox',
        browser: { origin: 'https://shop.example', agentId: 'agt_1', configurable: ['meta'] },
      }),
    );
    expect(await arrive(token, 'https://shop.example')).toBe('unauthorized');
    const late = (await mint('https://shop.example', { ttl_s: 30 })).body.token;
    app.clock.advance(30_000);
    expect(await arrive(late, 'https://shop.example')).toBe('unauthorized');
    const orphan = (await mint('https://shop.example')).body.token;
    await app.ask('PUT', '/v1/omni/origins', { key: user, body: { origins: [] } });
    expect(await arrive(orphan, 'https://shop.example')).toBe('origin_not_allowed');
  });
});
