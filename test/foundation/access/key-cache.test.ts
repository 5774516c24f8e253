import { expect, it } from 'vitest';
import { KeyCache, type KeyRecord } from '../../../src/foundation/access/key-cache.ts';
import { ManualClock } from '../platform/manual-clock.ts';

const record = (revokedAt: number | null): KeyRecord => ({ id: 'key_a', revokedAt }) as KeyRecord;

class Loads {
  count = 0;
  answer: () => Promise<KeyRecord | null> = async () => record(null);
  load = () => {
    this.count += 1;
    return this.answer();
  };
}

it('asks the database once for many requests, and again after half a minute', async () => {
  const clock = new ManualClock();
  const loads = new Loads();
  const records = new KeyCache(loads.load, clock);
  await Promise.all(Array.from({ length: 10 }, () => records.find('key_a')));
  clock.advance(29_999);
  await records.find('key_a');
  expect(loads.count).toBe(1);
  clock.advance(1);
  await records.find('key_a');
  expect(loads.count).toBe(2);
});

it('goes on with what it knows for less than a minute while the database is away, then refuses with 503', async () => {
  const clock = new ManualClock();
  const loads = new Loads();
  const records = new KeyCache(loads.load, clock);
  await records.find('key_a');
  loads.answer = async () => {
    throw new Error('connection refused');
  };
  clock.advance(54_999);
  expect(await records.find('key_a')).toMatchObject({ id: 'key_a' });
  clock.advance(1);
  await expect(records.find('key_a')).rejects.toMatchObject({ code: 'unavailable', status: 503 });
  await expect(records.find('key_b')).rejects.toMatchObject({ code: 'unavailable' });
});

it('does not keep what was read before a notice and came after it', async () => {
  const loads = new Loads();
  const records = new KeyCache(loads.load, new ManualClock());
  let arrive: (found: KeyRecord) => void = () => {};
  loads.answer = () => new Promise((resolve) => (arrive = resolve));
  const early = records.find('key_a');
  records.forget('key_a');
  arrive(record(null));
  await early;
  loads.answer = async () => record(1);
  expect(await records.find('key_a')).toMatchObject({ revokedAt: 1 });
});
