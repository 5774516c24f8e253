// @requirement Fair use: Storage has quotas.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BlobTooLargeError, openBlobs, QuotaBlobs } from '../../../src/foundation/storage/index.ts';
import { openApp } from '../../edge/surfaces/account/app.ts';
import { openService } from '../access/access-service.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from './databases.ts';

const QUOTA = 1_000;
const LIVE = { orgId: 'org_a', environment: 'live' } as const;
const key = (owner: string) => ({ area: 'jobs', owner, name: 'audio' });
const exceeded = expect.objectContaining({ code: 'storage_quota_exceeded', status: 402 });

async function* bytes(count: number): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(count, 7);
}
async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(10);
  throw new Error('the sender went away');
}

onBothDatabases('the quota of files', (databases) => {
  async function open() {
    const folder = mkdtempSync(join(tmpdir(), 'quota-'));
    databases.after(() => rmSync(folder, { recursive: true, force: true }));
    const clock = new ManualClock();
    const storage = await databases.open();
    const blobs = await openBlobs({ folder });
    const files = new QuotaBlobs({ blobs, storage, clock, quota: async () => QUOTA });
    return { clock, storage, blobs, files };
  }

  it('counts each owner’s bytes from before the first until they are deleted', async () => {
    const { files } = await open();
    await files.put(key('one'), bytes(600), { payer: { ...LIVE, bytes: 700 } });
    expect(await files.used(LIVE)).toBe(600);
    await expect(files.put(key('two'), bytes(1), { payer: { ...LIVE, bytes: 500 } })).rejects.toEqual(
      exceeded,
    );
    expect(await files.stat(key('two'))).toBeNull();
    await files.put(key('sandbox'), bytes(600), { payer: { ...LIVE, environment: 'sandbox', bytes: 600 } });
    await files.put(key('other'), bytes(600), { payer: { ...LIVE, orgId: 'org_b', bytes: 600 } });
    await files.put(key('ours'), bytes(5_000), { payer: null });
    expect(await files.used(LIVE)).toBe(600);
    await files.put(key('one'), bytes(300), { payer: { ...LIVE, bytes: 300 } });
    expect(await files.used(LIVE)).toBe(300);
    await files.delete(key('one'));
    expect(await files.used(LIVE)).toBe(0);
    await files.put(key('two'), bytes(1_000), { payer: { ...LIVE, bytes: 1_000 } });
    await files.deleteOwner('jobs', 'two');
    expect(await files.used(LIVE)).toBe(0);
  });

  it('is not passed by puts at once, nor by one that sends more than it said', async () => {
    const { files } = await open();
    const puts = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        files.put(key(`at_once_${index}`), bytes(300), { payer: { ...LIVE, bytes: 300 } }),
      ),
    );
    expect(puts.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await files.used(LIVE)).toBe(900);
    const unsaid = files.put(key('unsaid'), bytes(101), { payer: LIVE, maxBytes: 5_000 });
    await expect(unsaid).rejects.toEqual(exceeded);
    await files.put(key('unsaid'), bytes(100), { payer: LIVE, maxBytes: 5_000 });
    await expect(files.put(key('more'), bytes(0), { payer: LIVE })).rejects.toEqual(exceeded);
    await files.delete(key('unsaid'));
    const liar = files.put(key('liar'), bytes(101), { payer: { ...LIVE, bytes: 100 } });
    await expect(liar).rejects.toThrow(BlobTooLargeError);
    expect(await files.used(LIVE)).toBe(900);
  });

  it('forgets what a put that failed had reserved, and what one that died did', async () => {
    const { files, clock, storage } = await open();
    const failing = files.put(key('one'), broken(), { payer: { ...LIVE, bytes: 900 } });
    await expect(failing).rejects.toThrow('went away');
    expect(await files.used(LIVE)).toBe(0);
    await files.put(key('kept'), bytes(100), { payer: { ...LIVE, bytes: 100 } });
    const now = clock.now();
    const died = {
      area: 'jobs',
      owner: 'died',
      name: 'audio',
      org_id: 'org_a',
      environment: 'live',
    } as const;
    await storage.db
      .insertInto('stored_files')
      .values({ ...died, bytes: 900, reserved_at: now, stored_at: null })
      .execute();
    clock.advance(7 * 3_600_000);
    await files.sweep();
    expect(await files.used(LIVE)).toBe(100);
  });

  it('is the plan’s, which /v1/me tells', async () => {
    const storage = await databases.open();
    const service = await openService(storage);
    const { orgId } = service.organization;
    expect(await service.access.plans.storageOf({ orgId, environment: 'live' })).toBe(100_000_000_000);
    expect(await service.access.plans.storageOf({ orgId, environment: 'sandbox' })).toBe(1_000_000_000);
    await service.access.plans.put('standard', { storage_bytes: null });
    expect(await service.access.plans.storageOf({ orgId, environment: 'live' })).toBeNull();
    await service.access.close();
    const app = await openApp(await databases.open(), { files: { used: async () => 77 } });
    const { body: minted } = await app.ask('POST', '/v1/sandbox/keys');
    expect((await app.ask('GET', '/v1/me', { key: minted.api_key })).body).toMatchObject({
      limits: { storage_bytes: 1_000_000_000 },
      storage: { used_bytes: 77 },
    });
    await app.close();
  });
});
