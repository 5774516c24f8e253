// @requirement Billing: One table defines the metering of every use.
/**
 * Each second is billed once, as the surface's own protocol reports it; the uses are those of the one table of
 * meters.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Meter } from '../../../src/foundation/access/contract.ts';
import { isBilled, meteringOf, meterOf, USES } from '../../../src/foundation/billing/index.ts';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { World } from '../../contract/world.ts';
import { type Utterance, WIRES } from './wires.ts';

const world = await World.open();
if (process.env.CI === 'true' && !world.ready) throw new Error('the models are absent');
let storage: Storage;
beforeAll(async () => {
  storage = await openStorage({ dataDir: world.data });
});
afterAll(async () => {
  await storage.close();
  await world.stop();
});

const session = { authorization: `Bearer ${world.ours.session}` };
const reported = new Map<string, Utterance & { readonly meter: Meter }>();

async function newKey(): Promise<{ id: string; text: string }> {
  const { json } = await world.send('/v1/keys', {
    method: 'POST',
    headers: { ...session, 'content-type': 'application/json' },
    body: JSON.stringify({ environment: 'live', scopes: ['*'] }),
  });
  return { id: String(json?.id), text: String(json?.api_key) };
}

async function written(keyId: string) {
  const rows = await storage.db
    .selectFrom('usage_events')
    .select(['meter', 'milliseconds', 'count', 'resource'])
    .where('key_id', '=', keyId)
    .execute();
  const sum = (column: 'milliseconds' | 'count') =>
    rows.reduce((total, row) => total + Number(row[column]), 0);
  const distinct = (column: 'meter' | 'resource') => new Set(rows.map((row) => row[column])).size;
  return {
    meter: rows[0]?.meter,
    meters: distinct('meter'),
    resources: distinct('resource'),
    milliseconds: sum('milliseconds'),
    count: sum('count'),
  };
}

const held = async (keyId: string): Promise<number> =>
  (await storage.db.selectFrom('usage_holds').select('id').where('key_id', '=', keyId).execute()).length;

interface Line {
  readonly key_id: string;
  readonly meter: Meter;
  readonly milliseconds: number;
  readonly calls: number;
}

async function shown(): Promise<Line[]> {
  const { json } = await world.send('/v1/billing/usage?group_by=key,meter', { headers: session });
  return (json as { data: Line[] }).data;
}

describe.skipIf(!world.ready)('each second once, from the wire', () => {
  for (const use of USES.filter(isBilled)) {
    const wire = WIRES[use];
    if ('elsewhere' in wire) {
      it(`of ${use}: counted by a test of its own`, () => {
        expect(existsSync(join(import.meta.dirname, '../..', wire.elsewhere))).toBe(true);
      });
      continue;
    }
    it(`of ${use}: billed is what the wire tells, and nothing stays held`, async () => {
      const key = await newKey();
      const said = await wire(world, key.text);
      expect(meteringOf(use).unit === 'call' ? said.count : said.milliseconds).toBeGreaterThan(0);
      const meter = meterOf(use);
      const whole = { meter, meters: 1, resources: 1, ...said };
      await expect.poll(() => written(key.id), { timeout: 10_000 }).toEqual(whole);
      await expect.poll(() => held(key.id), { timeout: 10_000 }).toBe(0);
      reported.set(key.id, { ...said, meter });
    }, 180_000);
  }

  it('is what the customer is shown, and what one invoice sums', async () => {
    const ours = (await shown()).filter(({ key_id }) => reported.has(key_id));
    const expected = [...reported].map(([key_id, { meter, milliseconds, count }]) => {
      return { key_id, meter, milliseconds, calls: count };
    });
    const lines = ours.map(({ key_id, meter, milliseconds, calls }) => {
      return { key_id, meter, milliseconds, calls };
    });
    expect(new Set(lines)).toEqual(new Set(expected));
    const { json } = await world.send('/v1/billing/invoices', { headers: session });
    const invoices = (json as { data: { lines: { meter: Meter; milliseconds: number; units: number }[] }[] })
      .data;
    const sums = new Map<Meter, Utterance>();
    for (const { meter, milliseconds, count } of reported.values()) {
      const before = sums.get(meter) ?? { milliseconds: 0, count: 0 };
      sums.set(meter, { milliseconds: before.milliseconds + milliseconds, count: before.count + count });
    }
    const invoiced = invoices.flatMap(({ lines }) => lines).filter(({ units }) => units > 0);
    expect(new Set(invoiced.map(({ meter, milliseconds, units }) => [meter, milliseconds, units]))).toEqual(
      new Set(
        [...sums].map(([meter, { milliseconds, count }]) => {
          return [meter, milliseconds, meter === 'amd' ? count : Math.ceil(milliseconds / 1000)];
        }),
      ),
    );
  });
});
