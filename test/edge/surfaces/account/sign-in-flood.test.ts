// @requirement Account: Sign-in never answers 429 and is fair by network.
/** The test completes each hash by hand, so the order is exact and nothing waits for time. */
import { expect, it, vi } from 'vitest';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { accountsOn, SIGNUP } from './accounts.ts';

const hasher = vi.hoisted(() => ({
  began: [] as string[],
  ends: [] as (() => void)[],
}));
vi.mock('../../../../src/foundation/access/hashing.ts', () => ({
  hashInThread: async (password: string) => `the hash of ${password}`,
  verifyInThread: async (password: string, stored: string) => {
    hasher.began.push(password);
    await new Promise<void>((resolve) => hasher.ends.push(resolve));
    return stored === `the hash of ${password}`;
  },
}));

const PLACES = 2;
const WAITING = 500;
const FLOOD = '203.0.113.7';

onBothDatabases('a flood of sign-ins', (databases) => {
  const { open } = accountsOn(databases);

  it('makes another network wait for one hash, is never answered 429, and past 500 is told when to come back', async () => {
    hasher.began.splice(0);
    const app = await open();
    expect((await app.ask('POST', '/auth/signup', { body: SIGNUP })).status).toBe(201);
    const wrong = { ...SIGNUP, password: 'the wrong one' };
    const flood = Array.from({ length: PLACES + WAITING + 1 }, () =>
      app.ask('POST', '/auth/login', { body: wrong, from: FLOOD }),
    );
    const refused = await Promise.race(flood);
    expect([refused.status, refused.body.error.code]).toEqual([503, 'unavailable']);
    expect(refused.headers['retry-after']).toBe('2');
    const other = app.ask('POST', '/auth/login', { body: SIGNUP, from: '198.51.100.1' });
    for (let more = 0; more < 3; more += 1) {
      expect((await app.ask('POST', '/auth/login', { body: wrong, from: FLOOD })).status).toBe(503);
    }
    expect(hasher.began).toEqual([wrong.password, wrong.password]);
    hasher.ends.shift()?.();
    await vi.waitFor(() => expect(hasher.began).toHaveLength(PLACES + 1));
    expect(hasher.began.at(-1)).toBe(SIGNUP.password);
    let settled = false;
    const all = Promise.all([other, ...flood]).finally(() => {
      settled = true;
    });
    while (!settled) {
      for (const end of hasher.ends.splice(0)) end();
      await new Promise(setImmediate);
    }
    const [theirs, ...ours] = await all;
    expect(theirs?.status).toBe(200);
    expect(ours.filter(({ status }) => status === 401)).toHaveLength(PLACES + WAITING);
    expect(ours.filter(({ status }) => status !== 401)).toEqual([refused]);
  });
});
