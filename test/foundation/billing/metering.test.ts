// @requirement Fair use: Clones pass admission, caps and metering.
// @requirement Billing: One table defines the metering of every use.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  createBilling,
  isBilled,
  METERING,
  meteringOf,
  meterOf,
  USES,
} from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { bearer, NOON, openService } from '../access/access-service.ts';
import { onBothDatabases } from '../storage/databases.ts';

const SRC = fileURLToPath(new URL('../../../src', import.meta.url));
const BILLED = USES.filter(isBilled);
const LENGTH_MS = 7_001;

const amountOf = (use: (typeof BILLED)[number]) =>
  meteringOf(use).unit === 'call' ? { milliseconds: 0, count: 1 } : { milliseconds: LENGTH_MS, count: 0 };

class Crashed extends Error {}

onBothDatabases('each second exactly once', (databases) => {
  for (const use of BILLED) {
    it(`of ${use}: held before, written once, held no more, invoiced once`, async () => {
      const service = await openService(await databases.open());
      databases.after(() => service.access.close());
      const { access, billing, clock, organization, storage } = service;
      await billing.addCredit({ orgId: organization.orgId, amountMicros: 1_000_000 });
      const key = await service.makeKey();
      const { principal } = await access.authorize(bearer(key.text), { kind: 'key' });
      const admission = await access.admit(principal!, use, { realtime: false, milliseconds: LENGTH_MS });
      const amount = amountOf(use);
      const id = newId('use');
      const record = (crash: boolean) =>
        storage.transaction(async (transaction) => {
          await billing.recordUsage(transaction, {
            ...organization,
            id,
            use,
            keyId: principal!.keyId,
            environment: 'live',
            ...amount,
            resource: 'test',
            occurredAt: NOON,
            reservationId: admission.reservationId,
          });
          if (crash) throw new Crashed();
        });
      const held = async () => await storage.db.selectFrom('usage_holds').selectAll().executeTakeFirst();
      const before = await held();
      expect(before).toMatchObject({ use, meter: meterOf(use) });
      await expect(record(true)).rejects.toThrow(Crashed);
      expect(await held()).toEqual(before);
      await record(false);
      await record(false);
      expect(Number((await held())?.milliseconds)).toBe(
        Math.max(0, Number(before?.milliseconds) - amount.milliseconds),
      );
      expect(Number((await held())?.count)).toBe(Math.max(0, Number(before?.count) - amount.count));
      await admission.release();
      expect(await held()).toBeUndefined();
      await billing.flush();
      await record(false);
      clock.advance(60 * 86_400_000);
      const lines = (await billing.invoices(organization.orgId)).flatMap((invoice) => invoice.lines);
      const counted = meteringOf(use).unit === 'call' ? 1 : meteringOf(use).unit === 'second' ? 8 : 1;
      expect(lines.map(({ meter, milliseconds, units }) => ({ meter, milliseconds, units }))).toEqual([
        { meter: meterOf(use), milliseconds: amount.milliseconds, units: counted },
      ]);
    });
  }

  it('names for every meter the unit that it is priced in', async () => {
    const storage = await databases.open();
    createBilling({
      storage,
      clock: { now: () => NOON, monotonic: () => 0, after: () => () => {} },
      background: new BackgroundTasks({
        clock: { now: () => NOON, monotonic: () => 0, after: () => () => {} },
      }),
    });
    const prices = await storage.db.selectFrom('prices').select(['meter', 'unit']).execute();
    for (const use of BILLED) {
      expect(prices).toContainEqual({ meter: meterOf(use), unit: meteringOf(use).unit });
    }
    expect(new Set(BILLED.map(meterOf))).toEqual(new Set(prices.map(({ meter }) => meter)));
  });
});

describe('the table of meters', () => {
  const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && path !== join('billing', 'metering.ts'))
    .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }));
  const naming = (pattern: RegExp) =>
    sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

  it('says of every use that is admitted who writes it', () => {
    for (const use of BILLED) {
      const named = use === 'omni.call' || use === 'agents.call' ? 'callUseOf\\(' : `'${use}'`;
      const admitted = naming(new RegExp(`admit\\([^)]*${named}`));
      const written = naming(new RegExp(`use: ${named}`));
      // A surface that exists reserves and settles; a planned one does neither.
      expect({ use, written: written.length > 0 }).toEqual({ use, written: admitted.length > 0 });
    }
  });

  it('bundles only with uses that are billed', () => {
    for (const use of USES) {
      for (const other of meteringOf(use).bundledWith ?? []) expect(METERING).toHaveProperty([other]);
      if (!isBilled(use)) expect(meteringOf(use).reserves).toBe('nothing');
    }
  });
});
