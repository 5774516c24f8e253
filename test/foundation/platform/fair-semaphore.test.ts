// @requirement Fair use: Decoding slots are shared fairly between tenants and uses, once an upload is whole.
// @requirement Account: Sign-in never answers 429 and is fair by network.
import { describe, expect, it } from 'vitest';
import { FairSemaphore, TooManyWaitingError } from '../../../src/foundation/platform/fair-semaphore.ts';
import { fc, runs } from '../../property-tests.ts';

describe('fair turns', () => {
  it('let another tenant’s first go before a flood’s second', async () => {
    const turns = new FairSemaphore({ permits: 1 });
    const served: string[] = [];
    const holder = await turns.acquire('flood');
    const all = [...Array(20).fill('flood'), 'other', 'third', 'other'].map(async (tenant: string) => {
      const leave = await turns.acquire(tenant);
      served.push(tenant);
      leave();
    });
    holder();
    await Promise.all(all);
    expect(new Set(served.slice(0, 3))).toEqual(new Set(['flood', 'other', 'third']));
    expect(served.indexOf('other')).toBeLessThan(3);
    expect(served.lastIndexOf('other')).toBeLessThan(6);
    expect(served).toHaveLength(23);
  });

  it('never let in more than there are places, lose nobody, and make nobody wait for a tenant that holds more', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ tenant: fc.constantFrom('a', 'b', 'c'), gives: fc.boolean() }), {
          maxLength: 60,
        }),
        fc.integer({ min: 1, max: 4 }),
        async (asks, atOnce) => {
          const turns = new FairSemaphore({ permits: atOnce });
          const inside = new Map<string, number>();
          const leaving: (() => void)[] = [];
          let entered = 0;
          let gaveUp = 0;
          const all = asks.map(async ({ tenant, gives }) => {
            const abort = new AbortController();
            const entering = turns.acquire(tenant, abort.signal);
            if (gives) abort.abort(new Error('gone'));
            try {
              const leave = await entering;
              entered += 1;
              inside.set(tenant, (inside.get(tenant) ?? 0) + 1);
              expect([...inside.values()].reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(atOnce);
              leaving.push(() => {
                inside.set(tenant, (inside.get(tenant) as number) - 1);
                leave();
                leave();
              });
            } catch (error) {
              expect((error as Error).message).toBe('gone');
              gaveUp += 1;
            }
          });
          for (let round = 0; entered + gaveUp < asks.length || leaving.length > 0; round += 1) {
            expect(round).toBeLessThan(1_000);
            leaving.shift()?.();
            await new Promise((resolve) => setImmediate(resolve));
          }
          await Promise.all(all);
          expect(turns.waiting).toBe(0);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('refuse a tenant that has enough waiting, and no other', async () => {
    const turns = new FairSemaphore({ permits: 1, maxWaitingPerTenant: 2 });
    const leave = await turns.acquire('a');
    const waiting = [turns.acquire('a'), turns.acquire('a')];
    await expect(turns.acquire('a')).rejects.toThrow(TooManyWaitingError);
    const other = turns.acquire('b');
    leave();
    (await waiting[0])?.();
    (await other)();
    (await waiting[1])?.();
    expect(turns.waiting).toBe(0);
  });
});
