// @requirement Billing: Plans, quotas and prices are managed by API and command line.
// @requirement Audit log: The audit log records who did what from where, and can be exported.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { outputOf } from './output-of.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-plans-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

async function plans(...args: string[]) {
  const environment = { TRUNKLINE_DATA: folder, TRUNKLINE_LOG_LEVEL: 'silent' };
  const { code, out, error } = await outputOf(['plans', ...args], environment);
  return { code, lines: out.trim().split('\n'), error: error.trim() };
}

it('lists plans, changes one, and makes one that is like standard but for the change', async () => {
  const listed = await plans('list');
  expect(listed.code).toBe(0);
  expect(listed.lines.map((line) => line.split(' ')[0])).toEqual(['sandbox', 'scale', 'standard']);
  expect(listed.lines[0]).toContain('storage_bytes=1000000000');
  const changed = await plans('set', 'sandbox', '--rps', '7', '--daily-cap', 'none', '--storage', '5000');
  expect(changed.lines[0]).toMatch(
    /^sandbox rps=7 burst=10 .*daily_cap_units=none .*storage_bytes=5000 numbers_max=5$/,
  );
  const made = await plans('set', 'large', '--concurrency', '900', '--storage', 'none', '--numbers', '40');
  expect(made.lines[0]).toMatch(/^large rps=25 .*concurrency=900 .*storage_bytes=none numbers_max=40$/);
  expect((await plans('list')).lines).toEqual([
    made.lines[0],
    changed.lines[0],
    ...listed.lines.filter((line) => !line.startsWith('sandbox')),
  ]);
}, 30_000);

it('refuses what is no limit or no name, and changes nothing', async () => {
  const { lines } = await plans('list');
  for (const wrong of [
    ['sandbox', '--rps', '0'],
    ['sandbox', '--rps', 'none'],
    ['sandbox', '--storage', '1.5'],
    ['sandbox', '--quota', '-1'],
    ['No Name', '--rps', '1'],
  ]) {
    const refused = await plans('set', ...wrong);
    expect(refused.code).not.toBe(0);
    expect(refused.error).not.toBe('');
  }
  expect((await plans('list')).lines).toEqual(lines);
}, 30_000);
