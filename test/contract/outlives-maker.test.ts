/**
 * Every route that works on a resource, on one whose maker is gone: its key is revoked and its person has signed out. What they
 * made is the project's, so that another key and another session read, change and remove it as before.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { CASES } from './cases/index.ts';
import { checkAnswer, checkSuccess, credential, sentOf, urlOf } from './checks.ts';
import { credentialKind, operationsOf } from './operations.ts';
import { type Tenant, World } from './world.ts';

const world = await World.open();
afterAll(() => world.stop());

const onResources = operationsOf(world.openapi).flatMap((operation) => {
  const one = CASES[operation.name];
  const kind = credentialKind(operation);
  const isTried =
    one !== undefined &&
    operation.path.includes('{') &&
    (kind === 'key' || kind === 'session') &&
    one.shared !== true &&
    one.cannotSucceed === undefined &&
    (one.needsModels !== true || world.ready);
  return isTried ? [[operation.name, operation, one] as const] : [];
});

const send = async (path: string, key: string, body: object) => {
  const answer = await world.send(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
  return answer.json as Record<string, string>;
};

describe('a resource whose maker is gone', () => {
  it.each(onResources)(
    '%s',
    async (_name, operation, one) => {
      const { email, password, session } = world.ours;
      const key = await send('/v1/keys', session, { environment: 'live', scopes: ['*'] });
      const signsIn = credentialKind(operation) === 'session';
      const login = signsIn ? await send('/auth/login', '', { email, password }) : null;
      const maker: Tenant = {
        ...world.ours,
        key: String(key.api_key),
        ...(login === null ? {} : { session: String(login.token) }),
      };
      const good = await one.good(world, maker);
      await send(`/v1/keys/${key.id}/revoke`, session, {});
      if (login !== null) await send('/auth/logout', maker.session, {});
      const me = await world.send('/v1/me', { headers: { authorization: `Bearer ${maker.key}` } });
      expect(me.status).toBe(401);
      const sent = sentOf(operation, good, credential(operation, world.ours));
      const answer = await world.send(urlOf(operation, good), sent);
      checkAnswer(operation, answer);
      checkSuccess(operation, answer);
    },
    120_000,
  );
});
