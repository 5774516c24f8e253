// @requirement Rate limits: One rate algorithm gives the same result on several nodes.
import { describe, expect, it } from 'vitest';
import { RateLimiter, type RateLimitPolicy } from '../../../src/foundation/access/rate-limiter.ts';
import { SharedRedis } from '../../../src/foundation/access/shared-redis.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { fc, runs } from '../../property-tests.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { TestRedis, withRedis } from './redis.ts';

const policy = fc.record({
  name: fc.constant('key' as const),
  rps: fc.integer({ min: 1, max: 200 }),
  burst: fc.integer({ min: 1, max: 400 }),
});

function mostInAnyStretch(times: readonly number[], { rps, burst }: RateLimitPolicy): void {
  for (let first = 0; first < times.length; first += 1) {
    for (let last = first; last < times.length; last += 1) {
      const stretch = (times[last] as number) - (times[first] as number);
      expect(last - first + 1).toBeLessThanOrEqual(burst + ((stretch + 1) * rps) / 1000);
    }
  }
}

describe('request rates', () => {
  it('never let more pass than a burst and the rate, wherever one begins to count', async () => {
    await fc.assert(
      fc.asyncProperty(
        policy,
        fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 150 }),
        async (given, waits) => {
          const clock = new ManualClock();
          const rates = new RateLimiter(null, clock);
          const passed: number[] = [];
          for (const wait of waits) {
            clock.advance(wait % 7 === 0 ? wait : wait % 20);
            if ((await rates.consume(given, 'key_a')).allowed) passed.push(clock.monotonic());
          }
          mostInAnyStretch(passed, given);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('let a burst pass at once, tell when the next one fits, and let it pass then', async () => {
    await fc.assert(
      fc.asyncProperty(policy, async (given) => {
        const clock = new ManualClock();
        const rates = new RateLimiter(null, clock);
        for (let request = 0; request < given.burst; request += 1) {
          const { allowed, remaining } = await rates.consume(given, 'key_a');
          expect({ allowed, remaining }).toEqual({ allowed: true, remaining: given.burst - request - 1 });
        }
        const refused = await rates.consume(given, 'key_a');
        expect(refused).toMatchObject({ allowed: false, remaining: 0 });
        expect((await rates.consume(given, 'key_b')).allowed).toBe(true);
        clock.advance(refused.resetMs);
        expect((await rates.consume(given, 'key_a')).allowed).toBe(true);
        expect((await rates.consume(given, 'key_a')).allowed).toBe(false);
      }),
      { numRuns: runs(40) },
    );
  });
});

withRedis('request rates of several nodes', () => {
  it('are the same as those of one', async () => {
    const redis = await TestRedis.start();
    const nodes = [1, 2].map(() => new SharedRedis({ url: redis.url, clock: systemClock }));
    try {
      await Promise.all(nodes.map((node) => node.ready()));
      const rates = nodes.map((node) => new RateLimiter(node, new ManualClock()));
      const given = { name: 'key', rps: 50, burst: 10 } as const;
      const passed: number[] = [];
      const began = performance.now();
      while (performance.now() - began < 600) {
        const asked = performance.now();
        const verdicts = await Promise.all(rates.map((each) => each.consume(given, 'key_a')));
        for (const { allowed } of verdicts) if (allowed) passed.push(asked);
      }
      const took = performance.now() - began;
      expect(passed.length).toBeGreaterThanOrEqual(given.burst);
      expect(passed.length).toBeLessThanOrEqual(given.burst + (took * given.rps) / 1000 + 1);
    } finally {
      for (const node of nodes) node.close();
      await redis.kill();
    }
  });
});
