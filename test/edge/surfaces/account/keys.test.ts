// @requirement Authentication: A key is shown once, rotated and revoked.
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { accountsOn } from './accounts.ts';

onBothDatabases('keys of an account', (databases) => {
  const { open, signIn } = accountsOn(databases);

  it('creates, lists, limits, rotates and revokes keys', async () => {
    const app = await open();
    const user = await signIn(app);
    const made = await app.ask('POST', '/v1/keys', {
      key: user,
      body: { environment: 'live', name: 'phones', scopes: ['hear:*', 'voice:synthesize'], budget_micros: 5 },
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      object: 'api_key',
      name: 'phones',
      environment: 'live',
      scopes: ['hear:*', 'speak:synthesize'],
      budget_micros: 5,
      revoked_at: null,
      api_key: expect.stringMatching(/^svc_live_/),
    });
    const { id, api_key: text } = made.body;
    expect((await app.ask('GET', '/v1/me', { key: text })).body.credit.budget_micros).toBe(5);
    const changed = await app.ask('PATCH', `/v1/keys/${id}`, { key: user, body: { budget_micros: null } });
    expect(changed.body.budget_micros).toBeNull();
    const rotated = await app.ask('POST', `/v1/keys/${id}/rotate`, { key: user });
    expect((await app.ask('GET', '/v1/me', { key: text })).status).toBe(401);
    expect((await app.ask('GET', '/v1/me', { key: rotated.body.api_key })).status).toBe(200);
    app.clock.advance(1);
    for (let count = 0; count < 3; count += 1) {
      await app.ask('POST', '/v1/keys', { key: user, body: { environment: 'sandbox' } });
    }
    const page = await app.ask('GET', '/v1/keys?limit=3', { key: user });
    expect(page.body.data).toHaveLength(3);
    const rest = await app.ask('GET', `/v1/keys?limit=3&cursor=${page.body.next_cursor}`, { key: user });
    expect(rest.body.data.map((key: { id: string }) => key.id)).toContain(id);
    expect(rest.body.next_cursor).toBeNull();
    expect(JSON.stringify([page.body, rest.body])).not.toContain('"api_key":"svc');
    const revoked = await app.ask('POST', `/v1/keys/${id}/revoke`, { key: user });
    expect(revoked.body.revoked_at).toBe(app.clock.now());
    const after = await app.ask('GET', '/v1/me', { key: rotated.body.api_key });
    expect([after.status, after.body.error.code]).toEqual([401, 'unauthorized']);
    expect((await app.ask('POST', `/v1/keys/${id}/rotate`, { key: user })).status).toBe(400);
  });

  it('refuses keys with unknown scopes, a past expiry or unknown fields', async () => {
    const app = await open();
    const user = await signIn(app);
    const bad: [object, string][] = [
      [{ environment: 'live', scopes: ['hear:everything'] }, 'scopes'],
      [{ environment: 'live', scopes: [] }, 'scopes'],
      [{ environment: 'staging' }, 'environment'],
      [{ environment: 'live', expires_at: 1 }, 'expires_at'],
      [{ environment: 'live', budget_micros: -1 }, 'budget_micros'],
      [{ environment: 'live', budget_micros: 0.5 }, 'budget_micros'],
      [{ environment: 'live', key: 'mine' }, 'key'],
    ];
    for (const [body, param] of bad) {
      const answer = await app.ask('POST', '/v1/keys', { key: user, body });
      expect([answer.status, answer.body.error.param]).toEqual([400, param]);
    }
  });

  it('answers another organization’s key as an unknown one', async () => {
    const app = await open();
    const user = await signIn(app);
    const foreign = await app.makeKey();
    for (const path of ['rotate', 'revoke']) {
      const one = await app.ask('POST', `/v1/keys/${foreign.id}/${path}`, { key: user });
      const none = await app.ask('POST', `/v1/keys/key_00000000000000000000/${path}`, { key: user });
      expect(one.status).toBe(404);
      const shown = ({ request_id: _id, ...body }: typeof one.body, id: string) =>
        JSON.stringify(body).replaceAll(id, '');
      expect(shown(one.body, foreign.id)).toBe(shown(none.body, 'key_00000000000000000000'));
    }
    expect((await app.ask('GET', '/v1/me', { key: foreign.text })).status).toBe(200);
  });
});
