// @requirement Rate limits: One rate algorithm gives the same result on several nodes.
// @requirement Limits: A key's request rate has a burst, and an excess answers 429 with `Retry-After`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConcurrencyLimiter } from '../../../src/foundation/access/concurrency-limiter.ts';
import type { AccessService, Principal } from '../../../src/foundation/access/index.ts';
import { RateLimiter } from '../../../src/foundation/access/rate-limiter.ts';
import { SharedRedis } from '../../../src/foundation/access/shared-redis.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { openStorage } from '../../../src/foundation/storage/index.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { bearer, openService } from './access-service.ts';
import { TestRedis, withRedis } from './redis.ts';

/** The bucket has twenty requests and gains one in 100 s, so none while the test runs. */
const POLICY = { name: 'key', rps: 0.01, burst: 20 } as const;

withRedis('limits shared through Redis', () => {
  let redis: TestRedis;
  const open: { close(): void }[] = [];
  beforeEach(async () => {
    redis = await TestRedis.start();
  });
  afterEach(async () => {
    for (const one of open.splice(0)) one.close();
    redis.wake();
    await redis.kill();
  });

  async function node() {
    const clock = new ManualClock();
    const counts = new SharedRedis({ url: redis.url, clock });
    open.push(counts);
    if (counts.redis.status !== 'ready') await new Promise((resolve) => counts.redis.once('ready', resolve));
    const slots = new ConcurrencyLimiter(counts, clock);
    return { clock, counts, rates: new RateLimiter(counts, clock), slots };
  }
  type Node = Awaited<ReturnType<typeof node>>;

  async function allowed({ rates }: Node, subject: string, tries: number): Promise<number> {
    let count = 0;
    for (let request = 0; request < tries; request += 1) {
      if ((await rates.consume(POLICY, subject)).allowed) count += 1;
    }
    return count;
  }

  const readyAgain = ({ counts }: Node) =>
    new Promise<void>((resolve) => {
      if (counts.redis.status === 'ready') resolve();
      else counts.redis.once('ready', () => resolve());
    });

  it('counts the requests of all nodes together', async () => {
    const [one, other] = [await node(), await node()];
    expect(await allowed(one, 'key_a', 15)).toBe(15);
    expect(await allowed(other, 'key_a', 15)).toBe(5);
    expect(await allowed(one, 'key_a', 5)).toBe(0);
    expect(await allowed(other, 'key_b', 20)).toBe(20);
  });

  it('gives every node its own limit while Redis is gone, and one limit for all when it is back', async () => {
    const [one, other] = [await node(), await node()];
    expect(await allowed(one, 'key_a', 20)).toBe(20);
    await redis.kill();
    // The limiter fails neither open (a thirtieth request passes) nor closed (none does).
    expect(await allowed(one, 'key_b', 30)).toBe(20);
    expect(await allowed(other, 'key_b', 30)).toBe(20);
    await redis.restart();
    await Promise.all([readyAgain(one), readyAgain(other)]);
    for (const each of [one, other]) each.clock.advance(1_000);
    expect(await allowed(one, 'key_c', 15)).toBe(15);
    expect(await allowed(other, 'key_c', 15)).toBe(5);
  });

  it('waits once, not for every request, for a Redis that hangs', async () => {
    const one = await node();
    redis.hang();
    const began = performance.now();
    expect(await allowed(one, 'key_a', 30)).toBe(20);
    // One command timed out (250 ms); the 29 others did not wait.
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('counts an answer that came while the event loop lagged', async () => {
    const { counts } = await node();
    const answer = counts.attempt((server) => server.ping());
    const until = performance.now() + 600;
    while (performance.now() < until);
    expect(await answer).toBe('PONG');
  });

  it('starts without Redis', async () => {
    await redis.kill();
    const counts = new SharedRedis({ url: redis.url, clock: systemClock });
    open.push(counts);
    await counts.ready();
    const rates = new RateLimiter(counts, systemClock);
    expect((await rates.consume(POLICY, 'key_a')).allowed).toBe(true);
  });

  it('counts the live sessions of all nodes together, and frees a slot once', async () => {
    const [one, other] = [await node(), await node()];
    const first = await one.slots.acquire('key_a', 2);
    const second = await other.slots.acquire('key_a', 2);
    expect(await one.slots.acquire('key_a', 2)).toBeNull();
    expect(await other.slots.acquire('key_a', 2)).toBeNull();
    expect(await other.slots.acquire('key_b', 2)).not.toBeNull();
    first?.();
    first?.();
    await one.counts.redis.ping();
    expect(await other.slots.acquire('key_a', 2)).not.toBeNull();
    expect(await one.slots.acquire('key_a', 2)).toBeNull();
    second?.();
  });

  it('caps the sessions of each node while Redis is gone, and tells Redis of them when it is back', async () => {
    const [one, other] = [await node(), await node()];
    await redis.kill();
    for (const each of [one, other]) {
      expect(await each.slots.acquire('key_a', 1)).not.toBeNull();
      expect(await each.slots.acquire('key_a', 1)).toBeNull();
    }
    await redis.restart();
    await Promise.all([readyAgain(one), readyAgain(other)]);
    one.clock.advance(10_000);
    await one.counts.redis.ping();
    other.clock.advance(1_000);
    // The session of the first node counts again, so a third node with a cap of one gets no slot.
    const third = await node();
    expect(await third.slots.acquire('key_a', 1)).toBeNull();
  });

  it('frees the slots of a node that died when their lease ends', async () => {
    const one = await node();
    const dying = new SharedRedis({ url: redis.url, clock: systemClock });
    await new Promise((resolve) => dying.redis.once('ready', resolve));
    expect(await new ConcurrencyLimiter(dying, new ManualClock(), 100).acquire('key_a', 1)).not.toBeNull();
    expect(await one.slots.acquire('key_a', 1)).toBeNull();
    dying.close();
    await expect.poll(() => one.slots.acquire('key_a', 1), { timeout: 5_000 }).not.toBeNull();
  });

  it('is what the door of every node counts with', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-shared-'));
    const storage = await openStorage({ dataDir });
    try {
      const one = await openService(storage, { redisUrl: redis.url });
      const other = await openService(storage, { redisUrl: redis.url });
      open.push(one.access, other.access);
      const { text } = await one.makeKey({ environment: 'sandbox' });
      const services = [one.access, other.access];
      const principals: Principal[] = [];
      const began = performance.now();
      let refusal: unknown = null;
      for (let request = 0; refusal === null; request += 1) {
        const service = services[request % 2] as AccessService;
        await service.authorize(bearer(text), { kind: 'key' }).then(
          ({ principal }) => principals.push(principal as Principal),
          (error) => {
            refusal = error;
          },
        );
      }
      expect(refusal).toMatchObject({ code: 'rate_limit_exceeded' });
      // Both limiters together admit ten at once and five a second.
      expect(principals.length).toBeGreaterThanOrEqual(10);
      expect(principals.length).toBeLessThanOrEqual(11 + ((performance.now() - began) * 5) / 1000);
      const principal = principals[0] as Principal;
      await one.access.admit(principal, 'hear.stream', { realtime: true });
      await other.access.admit(principal, 'hear.stream', { realtime: true });
      await expect(one.access.admit(principal, 'hear.stream', { realtime: true })).rejects.toMatchObject({
        code: 'concurrency_limit_exceeded',
      });
      expect(one.access.parts()).toEqual([{ name: 'limits (Redis)', ready: true, required: false }]);
      await redis.kill();
      // The node counts both of the key's sessions locally only once it has admitted the second.
      await one.access.admit(principal, 'hear.stream', { realtime: true });
      await expect(one.access.admit(principal, 'hear.stream', { realtime: true })).rejects.toMatchObject({
        code: 'concurrency_limit_exceeded',
      });
      expect(one.access.parts()).toMatchObject([{ ready: false, required: false }]);
    } finally {
      await storage.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
