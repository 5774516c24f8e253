// @requirement API contract: Refusals carry `RateLimit` headers, and the refusal of a signup names its limit.
// @requirement Authentication: Keys, aliases of scopes and wildcards grant what the table of scopes says.
import { afterEach, expect, it } from 'vitest';
import type { Requirement } from '../../../src/foundation/access/contract.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { bearer, OPERATOR_TOKEN, openService, presented, type TestService } from './access-service.ts';

const ANY_KEY = { kind: 'key' } as const;
const LISTEN = { kind: 'key', scope: 'hear:stream' } as const;
const garbage = (text: string): string => `${text.slice(0, -1)}${text.endsWith('a') ? 'b' : 'a'}`;

onBothDatabases('authorize', (databases) => {
  const services: TestService[] = [];
  afterEach(() => {
    for (const service of services.splice(0)) service.access.close();
  });
  async function open(
    ...args: Parameters<typeof openService> extends [unknown, ...infer Rest] ? Rest : never
  ) {
    const service = await openService(await databases.open(), ...args);
    services.push(service);
    return service;
  }

  it('takes the key from each place where it may be', async () => {
    const { access, makeKey } = await open();
    const { id, text } = await makeKey();
    const places = [
      bearer(text),
      presented({ authorization: `bearer ${text}` }),
      presented({ apiKeyHeader: text }),
      presented({ apiKeyQuery: text }),
      presented({ protocols: ['svc.v1', `svc-key.${text}`] }),
      presented({ protocols: [`svc-key.${text}`] }),
    ];
    for (const place of places) {
      const { principal, headers } = await access.authorize(place, LISTEN);
      expect(principal).toMatchObject({ kind: 'key', keyId: id, environment: 'live', plan: 'standard' });
      expect(headers.ratelimit).toMatch(/^"key";r=\d+;t=1$/);
      expect(headers['ratelimit-policy']).toBe('"key";q=50;w=2');
    }
  });

  it('tells a missing, a malformed, an unknown, a revoked, an expired and a rotated key apart', async () => {
    const { access, clock, makeKey } = await open();
    const key = await makeKey();
    const refusal = async (attempt: ReturnType<typeof presented>) =>
      access.authorize(attempt, ANY_KEY).then(
        () => 'allowed',
        (error) => error.code,
      );
    expect(await refusal(presented())).toBe('missing_api_key');
    expect(await refusal(presented({ cookie: 'other=1; trunkline_session=x' }))).toBe('missing_api_key');
    expect(await refusal(presented({ authorization: 'Basic dXNlcjpwYXNz' }))).toBe('invalid_api_key');
    expect(await refusal(bearer(garbage(key.text)))).toBe('invalid_api_key');
    expect(await refusal(bearer('x'.repeat(100_000)))).toBe('invalid_api_key');
    expect(await refusal(bearer(OPERATOR_TOKEN.replaceAll(' ', '_')))).toBe('invalid_api_key');
    expect(await refusal(bearer(key.text))).toBe('allowed');
    const rotated = await access.keys.rotate(key.orgId, key.id);
    expect(await refusal(bearer(key.text))).toBe('unauthorized');
    expect(await refusal(bearer(rotated.text))).toBe('allowed');
    await access.keys.revoke(key.orgId, key.id);
    expect(await refusal(bearer(rotated.text))).toBe('unauthorized');
    const short = await makeKey({ expiresAt: clock.now() + 1000 });
    expect(await refusal(bearer(short.text))).toBe('allowed');
    clock.advance(1000);
    expect(await refusal(bearer(short.text))).toBe('unauthorized');
    // A rotated secret of an expired key would be expired too.
    await expect(access.keys.rotate(short.orgId, short.id)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('refuses a key that another deployment issued', async () => {
    const here = await open();
    const elsewhere = await open({ keySecret: 'a secret that only the other deployment has' });
    const foreign = await elsewhere.makeKey();
    await expect(here.access.authorize(bearer(foreign.text), ANY_KEY)).rejects.toMatchObject({
      code: 'invalid_api_key',
    });
  });

  it('grants by scope, by family, by alias and by the global wildcard, and names what is missing', async () => {
    const { access, makeKey } = await open();
    const may = async (scopes: string[], scope: string) => {
      const { text } = await makeKey({ scopes });
      return access.authorize(bearer(text), { kind: 'key', scope }).then(
        () => true,
        (error) => {
          expect(error).toMatchObject({ code: 'forbidden', status: 403, param: scope });
          return false;
        },
      );
    };
    expect(await may(['hear:stream'], 'hear:stream')).toBe(true);
    expect(await may(['hear:transcribe'], 'hear:stream')).toBe(false);
    expect(await may(['hear:*'], 'hear:stream')).toBe(true);
    expect(await may(['hear:*'], 'speak:clone')).toBe(false);
    expect(await may(['voice:*'], 'speak:clone')).toBe(true);
    expect(await may(['voice:synthesize'], 'speak:synthesize')).toBe(true);
    expect(await may(['*'], 'telephony:manage')).toBe(true);
  });

  it('opens operator and user routes to the operator and to users alone', async () => {
    const { access, makeKey } = await open();
    const { text } = await makeKey();
    const operator = presented({ authorization: `Bearer ${OPERATOR_TOKEN.replaceAll(' ', '')}` });
    await expect(access.authorize(operator, { kind: 'operator' })).rejects.toMatchObject({
      code: 'invalid_api_key',
    });
    await expect(access.authorize(bearer(text), { kind: 'operator' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(access.authorize(bearer(text), { kind: 'user' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    const header = presented({ apiKeyHeader: OPERATOR_TOKEN });
    const { principal } = await access.authorize(header, { kind: 'operator' });
    expect(principal).toMatchObject({ kind: 'operator', orgId: '' });
    await expect(access.authorize(header, ANY_KEY)).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  it('limits each key and each network, and says when to come back', async () => {
    const { access, makeKey } = await open({ networkRate: { rps: 15, burst: 15 } });
    const first = await makeKey({ environment: 'sandbox' });
    const second = await makeKey({ environment: 'sandbox' });
    const refused = async (text: string, remoteAddress: string) =>
      access.authorize(bearer(text, { remoteAddress }), ANY_KEY).then(
        () => null,
        (error) => error,
      );
    for (let request = 0; request < 10; request += 1) {
      expect(await refused(first.text, '203.0.113.7')).toBeNull();
    }
    expect(await refused(first.text, '203.0.113.8')).toMatchObject({
      code: 'rate_limit_exceeded',
      status: 429,
      retryAfter: expect.toSatisfy((seconds: number) => seconds === 1 || seconds === 2),
      headers: {
        'ratelimit-policy': '"key";q=10;w=2',
        ratelimit: expect.stringMatching(/^"key";r=0;t=[12]$/),
      },
    });
    // The address has used eleven of its network's fifteen requests.
    for (let request = 0; request < 4; request += 1) {
      expect(await refused(second.text, '203.0.113.9')).toBeNull();
    }
    expect(await refused(second.text, '203.0.113.9')).toMatchObject({
      code: 'rate_limit_exceeded',
      headers: { 'ratelimit-policy': '"network";q=15;w=1' },
    });
    expect(await refused(second.text, '198.51.100.1')).toBeNull();
  });

  it('keeps the text of a credential out of every refusal', async () => {
    const { access, makeKey } = await open();
    const { text, id } = await makeKey({ scopes: ['amd:read'] });
    await access.keys.revoke(null, id);
    const attempts = [text, garbage(text), `${text}${text}`, text.replace('live', 'test')];
    for (const attempt of attempts) {
      for (const kind of ['key', 'user', 'member', 'operator'] as const) {
        const error = await access
          .authorize(bearer(attempt), { kind, scope: 'amd:read' } as Requirement)
          .then(() => null)
          .catch((caught) => caught);
        const said = JSON.stringify({
          ...error,
          message: error.message,
          stack: error.stack,
          cause: error.cause,
        });
        expect(said).not.toContain(attempt.slice(10, 40));
      }
    }
  });
});
