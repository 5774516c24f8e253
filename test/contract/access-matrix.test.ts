// @requirement Access: Every route and socket is tried with each scope, each role and no key.
// @requirement Access: `DELETE` needs a writing scope.
/**
 * Every route of the running product is called with every credential that must not open it. The routes come from its
 * descriptions, so a new one needs no line here; the contract test covers other organizations' ids.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type MemberRole, ROLES } from '../../src/foundation/access/contract.ts';
import { SCOPES } from '../../src/foundation/access/scopes.ts';
import { checkAnswer } from './checks.ts';
import { credentialKind, type DescribedOperation, operationsOf } from './operations.ts';
import { carrierStarts } from './sockets.ts';
import { WHOLE } from './valid-requests.ts';
import { OPERATOR_TOKEN, World } from './world.ts';

const world = await World.open();
afterAll(() => world.stop());

const closed = operationsOf(world.openapi).filter((operation) => credentialKind(operation) !== 'none');
const scopeOf = (operation: DescribedOperation): string | undefined =>
  (world.openapi.paths as Record<string, Record<string, Record<string, string>>>)[operation.path]?.[
    operation.method.toLowerCase()
  ]?.['x-required-scope'];

const roleOf = (operation: DescribedOperation): MemberRole | undefined =>
  (world.openapi.paths as Record<string, Record<string, Record<string, MemberRole>>>)[operation.path]?.[
    operation.method.toLowerCase()
  ]?.['x-required-role'];

interface Channel {
  readonly address: string;
  readonly 'x-required-scope'?: string;
  readonly 'x-key-in-frames'?: boolean;
}
const asyncapi = (await world.send('/asyncapi.json')).json as { channels: Record<string, Channel> };
const channels = Object.values(asyncapi.channels);
const sockets = channels.filter((channel) => channel['x-required-scope']);

async function keyWith(scopes: readonly string[]): Promise<{ id: string; text: string }> {
  const { json } = await post('/v1/keys', { environment: 'live', scopes });
  return { id: String(json?.id), text: String(json?.api_key) };
}

const post = (path: string, body: object | null, token = world.ours.session) =>
  world.send(path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });

const made = {
  revokedKey: '',
  deadSession: '',
  rotatedKey: '',
  everyScopeBut: new Map<string, string>(),
  only: new Map<string, string>(),
  people: new Map<string, string>(),
};

beforeAll(async () => {
  const revoked = await keyWith(['*']);
  made.revokedKey = revoked.text;
  await post(`/v1/keys/${revoked.id}/revoke`, null);
  const rotated = await keyWith(['*']);
  made.rotatedKey = rotated.text;
  await post(`/v1/keys/${rotated.id}/rotate`, null);
  const { json } = await post('/auth/login', { email: world.ours.email, password: world.ours.password });
  made.deadSession = String(json?.token);
  await post('/auth/logout', null, made.deadSession);
  for (const scope of SCOPES) {
    const { text } = await keyWith(SCOPES.filter((each) => each !== scope));
    made.everyScopeBut.set(scope, text);
    made.only.set(scope, (await keyWith([scope])).text);
  }
  for (const role of ROLES) made.people.set(role, await personOf(role));
}, 120_000);

async function personOf(role: string): Promise<string> {
  const email = `${role}-of-the-matrix@example.com`;
  const { json } = await post('/v1/members/invitations', { email, role });
  const joined = await world.send(new URL(String(json?.url)).pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'long enough' }),
  });
  return String(joined.json?.token);
}

const flip = (text: string): string => `${text.slice(0, -1)}${text.endsWith('a') ? 'b' : 'a'}`;

async function refusal(operation: DescribedOperation, headers: Record<string, string>) {
  const path = operation.path.replace(/\{[^}]+\}/g, 'x');
  // The credential is checked before the body: even an unreadable body changes nothing.
  const answer = await world.send(path, {
    method: operation.method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(operation.method === 'GET' ? {} : { body: '{' }),
  });
  checkAnswer(operation, answer);
  for (const value of Object.values(headers)) expect(answer.text).not.toContain(value.slice(-30));
  const error = answer.json?.error as { code: string; param: string | null } | undefined;
  return [answer.status, error?.code, error?.param];
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

it('finds the routes', () => {
  expect(closed.length).toBeGreaterThan(10);
});

describe.each(closed.map((operation) => [operation.name, operation] as const))('%s', (_name, operation) => {
  const kind = credentialKind(operation);

  it('refuses no credential, a bad one, a revoked one and one from before a rotation', async () => {
    expect(await refusal(operation, {})).toEqual([401, 'missing_api_key', null]);
    // All routes read credentials in one place: the short walk sends one of each kind.
    const bad = [
      bearer(flip(world.ours.key)),
      { 'x-api-key': flip(world.ours.key) },
      bearer(flip(world.ours.session)),
      bearer(flip(OPERATOR_TOKEN)),
      { authorization: 'Basic YTpi' },
    ];
    for (const headers of WHOLE ? bad : bad.slice(0, 1)) {
      expect(await refusal(operation, headers)).toEqual([401, 'invalid_api_key', null]);
    }
    for (const dead of [made.revokedKey, ...(WHOLE ? [made.rotatedKey, made.deadSession] : [])]) {
      expect(await refusal(operation, bearer(dead))).toEqual([401, 'unauthorized', null]);
      expect(await refusal(operation, { 'x-api-key': dead })).toEqual([401, 'unauthorized', null]);
    }
  });

  it('refuses good credentials of another kind', async () => {
    const member = operation.security.some((scheme) => 'session' in scheme) && kind === 'key';
    if (kind !== 'key')
      expect(await refusal(operation, bearer(world.ours.key))).toEqual([403, 'forbidden', null]);
    if (kind !== 'session' && !member) {
      expect(await refusal(operation, bearer(world.ours.session))).toEqual([403, 'forbidden', null]);
    }
    if (kind !== 'operator') {
      expect(await refusal(operation, bearer(OPERATOR_TOKEN))).toEqual([401, 'invalid_api_key', null]);
    }
  });

  const scope = scopeOf(operation);
  if (scope !== undefined) {
    it('refuses a key with every scope but its own, and names it', async () => {
      const text = made.everyScopeBut.get(scope);
      expect(text, `${scope} is not a scope that a key can have`).toBeDefined();
      expect(await refusal(operation, bearer(text as string))).toEqual([403, 'forbidden', scope]);
    });

    it('opens to its own scope alone', async () => {
      // A key with every other scope was refused above; the whole walk also tries keys with a single scope.
      for (const [each, text] of made.only) {
        if (!WHOLE && each !== scope) continue;
        const [status, code, param] = await refusal(operation, bearer(text));
        if (each === scope) expect([401, 403]).not.toContain(status);
        else expect([status, code, param]).toEqual([403, 'forbidden', scope]);
      }
    });
  }

  const role = roleOf(operation);
  if (role !== undefined) {
    it('opens to people of its role and of higher ones alone', async () => {
      for (const [each, token] of made.people) {
        const [status, code, param] = await refusal(operation, bearer(token));
        if (ROLES.indexOf(each as MemberRole) >= ROLES.indexOf(role))
          expect([401, 403]).not.toContain(status);
        else expect([status, code, param]).toEqual([403, 'forbidden', 'role']);
      }
    });
  }
});

/** Resolves with the status, code and parameter that refuse the upgrade, or 101. */
function upgrade(address: string, headers: Record<string, string>, protocols: string[] = []) {
  return new Promise<[number, string | null, string | null]>((resolve, reject) => {
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}${address}`, protocols, { headers });
    socket.on('open', () => {
      socket.terminate();
      resolve([101, null, null]);
    });
    socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        const { code, param } = JSON.parse(text).error;
        resolve([response.statusCode ?? 0, code, param]);
      });
    });
    socket.on('error', reject);
  });
}

const UNSCOPED: Readonly<Record<string, string>> = {
  '/v1/live': 'each event asks for the scope that reads what it tells of',
  '/v1/telephony/streams/managed': 'each stream brings the token of its call',
};

it('knows what each socket asks for', () => {
  const unscoped = channels.filter((channel) => !channel['x-required-scope']).map(({ address }) => address);
  expect(unscoped.sort()).toEqual(Object.keys(UNSCOPED).sort());
  expect(sockets.length).toBeGreaterThan(3);
});

/** These answers are to a request that lacks a parameter, or whose agent does not exist. */
const NEEDS_MORE: Readonly<Record<string, number>> = {
  '/v1/omni': 400,
  '/v1/omni/supervise': 400,
  '/v1/telephony/supervise': 400,
  '/elevenlabs/v1/convai/conversation': 404,
};

describe.each(sockets.map((channel) => [channel.address, channel] as const))(
  'socket %s',
  (address, channel) => {
    const scope = channel['x-required-scope'] as string;

    it('refuses no credential, a bad one and a dead one, before the upgrade', async () => {
      const none = channel['x-key-in-frames'] ? [101, null, null] : [401, 'missing_api_key', null];
      expect(await upgrade(address, {})).toEqual(none);
      const invalid = [401, 'invalid_api_key', null];
      expect(await upgrade(`${address}?api_key=${flip(world.ours.key)}`, {})).toEqual(invalid);
      const bad = ['svc.v1', `svc-key.${flip(world.ours.key)}`];
      expect(await upgrade(address, {}, bad)).toEqual(invalid);
      expect(await upgrade(address, bearer(flip(OPERATOR_TOKEN)))).toEqual(invalid);
      expect(await upgrade(address, bearer(OPERATOR_TOKEN))).toEqual(invalid);
      for (const dead of [made.revokedKey, made.rotatedKey, made.deadSession]) {
        expect(await upgrade(address, bearer(dead))).toEqual([401, 'unauthorized', null]);
      }
    });

    it('refuses every person, whatever their role', async () => {
      for (const token of [world.ours.session, ...made.people.values()]) {
        expect(await upgrade(address, bearer(token))).toEqual([403, 'forbidden', null]);
      }
    });

    it('opens to its own scope alone, and names it', async () => {
      const others = [...made.only].filter(([each]) => each !== scope).map(([, text]) => text);
      for (const text of [made.everyScopeBut.get(scope) as string, ...(WHOLE ? others : [])]) {
        expect(await upgrade(address, bearer(text))).toEqual([403, 'forbidden', scope]);
      }
      const [status] = await upgrade(address, bearer(made.only.get(scope) as string));
      expect(status).toBe(NEEDS_MORE[address] ?? 101);
    });
  },
);

function firstFrame(address: string, carrier: string, customParameters: Record<string, string>): object {
  if (address === '/v1/relay/twilio') return { type: 'setup', sessionId: 'VX1', customParameters };
  if (carrier === 'asterisk') return { event: 'MEDIA_START', format: 'ulaw' };
  if (Object.hasOwn(carrierStarts, carrier)) return carrierStarts[carrier as keyof typeof carrierStarts];
  return { event: 'start', streamSid: 'MZ1', start: { streamSid: 'MZ1', customParameters } };
}

describe.each(sockets.filter((channel) => channel['x-key-in-frames']).map((one) => [one.address]))(
  'socket %s, with a key in a frame',
  (address) => {
    const carrier = address.slice(address.lastIndexOf('/') + 1);
    /** Twilio sends parameters in its first frame, other carriers in the URL alone. */
    const isInQuery = carrier !== 'twilio';
    const closing = (key: string | undefined) =>
      new Promise<[number, string]>((resolve, reject) => {
        const parameters: Record<string, string> = key === undefined ? {} : { api_key: key };
        const query = isInQuery ? `?${new URLSearchParams(parameters)}` : '';
        const socket = new WebSocket(`${world.url.replace('http', 'ws')}${address}${query}`);
        socket.on('open', () => socket.send(JSON.stringify(firstFrame(address, carrier, parameters))));
        socket.on('close', (code, reason) => resolve([code, reason.toString()]));
        socket.on('error', reject);
      });

    const refuses = async (key: string, status: 401 | 403, code: string) => {
      if (isInQuery) await expect(closing(key)).rejects.toThrow(`${status}`);
      else expect(await closing(key)).toEqual([4000 + status, code]);
    };

    it('closes as it would have refused the upgrade', async () => {
      expect(await closing(undefined)).toEqual([4401, 'missing_api_key']);
      for (const text of [flip(world.ours.key), OPERATOR_TOKEN]) await refuses(text, 401, 'invalid_api_key');
      for (const dead of [made.revokedKey, made.rotatedKey, made.deadSession])
        await refuses(dead, 401, 'unauthorized');
      const scope = sockets.find((channel) => channel.address === address)?.['x-required-scope'];
      for (const [each, text] of made.only) if (each !== scope) await refuses(text, 403, 'forbidden');
      for (const token of made.people.values()) await refuses(token, 403, 'forbidden');
    });
  },
);
