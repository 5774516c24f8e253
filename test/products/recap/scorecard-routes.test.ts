import { afterAll, beforeAll, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
}, 120_000);
afterAll(() => world?.stop());

const FRIENDLY = { id: 'friendly', text: 'Is the agent friendly?', kind: 'scale', by: 'model' };

const send = (method: string, path: string, key: string, body?: object) =>
  world.send(path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
const make = (...criteria: object[]) =>
  send('POST', '/v1/recap/scorecards', world.ours.key, { name: 'Calls', criteria });

it('takes criteria that a model judges, and keeps them from others', async () => {
  const made = await make(FRIENDLY, { ...FRIENDLY, id: 'polite', kind: 'yes_no' });
  expect(made.status).toBe(201);
  expect(made.json?.criteria).toMatchObject([{ by: 'model' }, { id: 'polite' }]);
  const path = `/v1/recap/scorecards/${made.json?.id}`;
  expect((await send('GET', `${path}/trends`, world.theirs.key)).status).toBe(404);
  expect((await send('DELETE', path, world.theirs.key)).status).toBe(404);
  expect((await send('DELETE', path, world.ours.key)).status).toBe(200);
});

it.each([
  ['no rule', [{ ...FRIENDLY, by: 'rule' }]],
  ['no metric', [{ ...FRIENDLY, by: 'metric' }]],
  ['an unknown metric', [{ ...FRIENDLY, by: 'metric', metric: 'charm' }]],
  ['an empty range', [{ ...FRIENDLY, least: 5, most: 1 }]],
  ['two of one name', [FRIENDLY, FRIENDLY]],
  ['an unknown judge', [{ ...FRIENDLY, by: 'oracle' }]],
  ['no criteria', []],
])('refuses a card with %s', async (_, criteria) => {
  const refused = await make(...criteria);
  expect(refused.status).toBe(400);
  expect(refused.json).toMatchObject({ error: { code: 'invalid_request' } });
});
