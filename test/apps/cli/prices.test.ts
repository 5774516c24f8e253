// @requirement Billing: Plans, quotas and prices are managed by API and command line.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { main } from '../../../src/apps/cli/index.ts';
import { insertProviderCosts } from '../../../src/foundation/billing/index.ts';
import { openStorage } from '../../../src/foundation/storage/index.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-prices-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

async function prices(...args: string[]) {
  let said = '';
  const gather = (text: string | Uint8Array) => {
    said += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(gather);
  vi.spyOn(process.stderr, 'write').mockImplementation(gather);
  const code = await main(['prices', ...args], { TRUNKLINE_DATA: folder, TRUNKLINE_LOG_LEVEL: 'silent' });
  vi.restoreAllMocks();
  return { code, lines: said.trim().split('\n') };
}

it('lists prices and sets one for a month to come', async () => {
  const { lines } = await prices('list');
  expect(lines).toContain('hear from=2000-01 price=0.001000 per=60 unit=second free=0');
  const set = await prices(
    'set',
    'hear',
    '--from',
    '2999-01',
    '--price',
    '0.002',
    '--per',
    '60',
    '--free',
    '9',
  );
  expect(set).toEqual({ code: 0, lines: ['hear from=2999-01 price=0.002000 per=60 unit=second free=9'] });
  expect((await prices('list')).lines).toHaveLength(lines.length + 1);
}, 30_000);

it('refuses what is no month to come, no meter and no amount', async () => {
  for (const wrong of [
    ['hear', '--from', '2026-01', '--price', '1'],
    ['hear', '--from', 'soon', '--price', '1'],
    ['none', '--from', '2999-01', '--price', '1'],
    ['hear', '--from', '2999-01', '--price', '-1'],
    ['hear', '--from', '2999-01', '--price', '1', '--per', '0'],
  ]) {
    expect(await prices('set', ...wrong)).toMatchObject({
      code: 1,
      lines: [expect.stringMatching(/^error: /)],
    });
  }
}, 30_000);

it('sums up what services elsewhere cost in a month', async () => {
  const storage = await openStorage({ dataDir: folder });
  const account = { org_id: 'org_1', project_id: 'prj_1', environment: 'live' } as const;
  const cost = {
    kind: 'speech',
    provider: 'default',
    credential: 'operator',
    region: 'eu',
    host: 'voices.example',
    requests: 2,
    characters: 1_000,
    soundMs: 60_000,
    failures: 1,
    costMicros: 15_000,
  } as const;
  const at = Date.parse('2026-11-30T23:59:00Z');
  await storage.transaction(async (trx) => {
    await insertProviderCosts(trx, account, 'oc_1', at, [cost]);
    await insertProviderCosts(trx, account, 'oc_1', at, [cost]);
    await insertProviderCosts(trx, account, 'oc_2', at, [cost]);
    const own = { ...cost, credential: 'customer', costMicros: 0 } as const;
    await insertProviderCosts(trx, account, 'oc_3', at + 120_000, [cost]);
    await insertProviderCosts(trx, account, 'oc_4', at, [own]);
    await insertProviderCosts(trx, account, 'oc_5', at, [own, cost]);
  });
  await storage.close();
  const { lines } = await prices('providers', '--month', '2026-11');
  expect(lines.toSorted()).toEqual([
    'default kind=speech key=customer region=eu host=voices.example calls=1 requests=2 characters=1000 sound_s=60 failures=1 cost=0.000000',
    'default kind=speech region=eu host=voices.example calls=3 requests=6 characters=3000 sound_s=180 failures=3 cost=0.045000',
  ]);
  expect((await prices('providers', '--month', 'May')).code).not.toBe(0);
});
