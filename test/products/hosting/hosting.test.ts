// @requirement Hosting partners: Webhooks are signed over the exact bytes, and a removal revokes the key.
/** Removing a hosting partner's installation revokes its key. */
import { createHmac } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { hostingPartners } from '../../../src/main/hosting.ts';
import { World } from '../../contract/world.ts';

const SECRET = 'integration secret';
const world = await World.open({
  settings: { TRUNKLINE_HOSTING_PARTNERS: JSON.stringify({ vercel: SECRET }) },
});
afterAll(() => world.stop());

const keyOf = async (): Promise<string> => {
  const { json } = await world.send('/v1/keys', {
    method: 'POST',
    headers: { authorization: `Bearer ${world.ours.session}`, 'content-type': 'application/json' },
    body: JSON.stringify({ environment: 'live', scopes: ['*'] }),
  });
  return String(json?.api_key);
};

const install = (key: string, configuration_id: string, partner = 'vercel') =>
  world.send(`/v1/integrations/hosting/${partner}/installation`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ configuration_id }),
  });

const signed = (body: string, hash = 'sha1') => createHmac(hash, SECRET).update(body).digest('hex');

const reported = (body: string, signature: string | null, partner = 'vercel') =>
  world.send(`/auth/${partner}/webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(signature === null ? {} : { 'x-vercel-signature': signature }),
    },
    body,
  });

const event = (type: string, id: string) =>
  JSON.stringify(
    { id: 'evt_1', type, createdAt: 1, payload: { configuration: { id, projects: [] } } },
    null,
    1,
  );

const me = async (key: string) =>
  (await world.send('/v1/me', { headers: { authorization: `Bearer ${key}` } })).status;

it.each([
  ['integration-configuration.removed', 'sha1'],
  ['integration-configuration.transfer-completed', 'sha256'],
])('revokes the key of an installation at once: %s, signed by %s', async (type, hash) => {
  const [key, other] = [await keyOf(), await keyOf()];
  expect((await install(key, `icfg_${hash}`)).json).toMatchObject({
    object: 'hosting.installation',
    configuration_id: `icfg_${hash}`,
  });
  await install(other, 'icfg_other');
  const body = event(type, `icfg_${hash}`);
  for (let again = 0; again < 2; again += 1)
    expect(await reported(body, signed(body, hash))).toMatchObject({ status: 200, json: { received: true } });
  expect([await me(key), await me(other)]).toEqual([401, 200]);
});

it('lets an event be that ends nothing', async () => {
  const key = await keyOf();
  await install(key, 'icfg_kept');
  for (const body of [
    event('deployment.created', 'icfg_kept'),
    event('integration-configuration.removed', 'icfg_unknown'),
  ])
    expect((await reported(body, signed(body))).json).toEqual({ received: true });
  expect(await me(key)).toBe(200);
});

it('refuses whatever is not signed as it stands, as a problem', async () => {
  const key = await keyOf();
  await install(key, 'icfg_safe');
  const body = event('integration-configuration.removed', 'icfg_safe');
  const right = signed(body);
  for (const [sent, signature] of [
    [body, null],
    [body, ''],
    [body, 'nonsense'],
    [body, right.toUpperCase()],
    [body, `${right}00`],
    [body, createHmac('sha1', 'another secret').update(body).digest('hex')],
    [JSON.stringify(JSON.parse(body)), right],
    [`${body} `, right],
  ] as const) {
    const answer = await reported(sent, signature);
    expect(answer.status, `${signature}`).toBe(401);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.json).toMatchObject({ status: 401, error: { code: 'unauthorized' } });
  }
  expect(await me(key)).toBe(200);
});

it('names what is wrong with a signed event, and knows no other partner', async () => {
  for (const [body, param] of [
    ['no json', null],
    ['null', 'type'],
    ['{}', 'type'],
    ['{"type":"integration-configuration.removed"}', 'payload.configuration.id'],
    [
      '{"type":"integration-configuration.removed","payload":{"configuration":{"id":7}}}',
      'payload.configuration.id',
    ],
  ] as const) {
    const answer = await reported(body, signed(body));
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.json).toMatchObject({ status: 400, error: { param } });
  }
  expect((await reported('{}', signed('{}'), 'nobody')).status).toBe(404);
  expect((await install(await keyOf(), 'icfg_1', 'nobody')).status).toBe(404);
});

it('reads the partners, and never shows what it read', () => {
  expect(hostingPartners({ hostingPartners: null }).size).toBe(0);
  for (const odd of ['{', '[]', '"x"', '{"Vercel": "s3cret"}', '{"vercel": 7}', '{"vercel": ""}'])
    expect(() => hostingPartners({ hostingPartners: odd }), odd).toThrow(/TRUNKLINE_HOSTING_PARTNERS/);
  expect(() => hostingPartners({ hostingPartners: '{"Vercel": "s3cret"}' })).not.toThrow(/s3cret/);
});
