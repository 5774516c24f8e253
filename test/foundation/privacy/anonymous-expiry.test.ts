// @requirement Privacy: What belongs to a sandbox key expires with it.
// @requirement Privacy: Legal hold stops sweeps and removals.
/** The organization of a minted key is removed with all its data, and no other organization's data. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wordIndex } from '../../../src/conversation/knowledge/ranking/word-index.ts';
import { SYSTEM_ACTOR } from '../../../src/foundation/audit/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { AnonymousExpiry, LegalHolds } from '../../../src/foundation/privacy/index.ts';
import {
  acrossTenants,
  openBlobs,
  QuotaBlobs,
  type Storage,
  withinTenant,
} from '../../../src/foundation/storage/index.ts';
import type { TenantTableName } from '../../../src/foundation/storage/tables/index.ts';
import { speechCacheErasure } from '../../../src/speech/voices/index.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { NOON, openService } from '../access/access-service.ts';
import { scopeFor } from '../access/tenant-scopes.ts';
import { onBothDatabases } from '../storage/databases.ts';

const HOUR = 3_600_000;
const AUDIT = ['audit_heads', 'audit_entries'];

onBothDatabases('expired organizations', (databases) => {
  async function open() {
    const folder = mkdtempSync(join(tmpdir(), 'expiry-'));
    databases.after(() => rmSync(folder, { recursive: true, force: true }));
    const storage = await databases.open();
    const service = await openService(storage);
    databases.after(() => service.access.close());
    const { clock } = service;
    const blobs = new QuotaBlobs({
      blobs: await openBlobs({ folder }),
      storage,
      clock,
      quota: async () => null,
    });
    const log = createLog({ level: 'silent' });
    const trails = [speechCacheErasure(storage)];
    const given: string[] = [];
    let keeps: (orgId: string) => boolean = () => false;
    const giveBack = async (orgId: string) => {
      if (keeps(orgId)) throw new Error('the carrier is away');
      given.push(orgId);
    };
    const carrierKeeps = (of: typeof keeps) => {
      keeps = of;
    };
    const expiry = new AnonymousExpiry({
      storage,
      blobs,
      clock,
      background: new BackgroundTasks({ clock }),
      log,
      cleanups: trails,
      releaseNumbers: giveBack,
    });
    const queue = new JobQueue(storage, clock);
    const words = wordIndex(storage.dialect);
    const fill = async (orgId: string, projectId: string) => {
      const scope = scopeFor(orgId, { projectId, environment: 'sandbox' });
      for (const table of Object.keys(SEEDS) as TenantTableName[]) {
        if (table === 'legal_holds') continue;
        // biome-ignore lint/suspicious/noExplicitAny: a table of a list and its own row.
        await (withinTenant(storage.db, scope) as any)
          .insertInto(table, SEEDS[table]('mark', NOON))
          .execute();
      }
      const { number, base_id: base } = await withinTenant(storage.db, scope)
        .selectFrom('knowledge_chunks')
        .select(['number', 'base_id'])
        .executeTakeFirstOrThrow();
      await storage.transaction((trx) =>
        words.add(trx, [{ number: Number(number), base, heading: [], body: ['mark'] }]),
      );
      const payer = { orgId, environment: 'sandbox', bytes: 9 } as const;
      const key = { area: 'jobs', owner: `job_${orgId.slice(4)}`, name: 'audio' };
      await blobs.put(key, [Buffer.from('RIFF')] as never, { payer });
      await storage.transaction((trx) =>
        queue.enqueue(trx, { id: `job_${orgId}`, queue: 'jobs', tenant: `${orgId} more`, payload: null }),
      );
      return { scope, key, found: () => words.find(storage.db, [base], ['mark'], 9) };
    };
    return { ...service, clock, blobs, expiry, fill, given, carrierKeeps };
  }

  const mint = async (storage: Storage, access: Awaited<ReturnType<typeof openService>>['access']) => {
    const { id } = await access.accounts.mintSandboxKey('198.51.100.7');
    const { org_id, project_id } = await storage.db
      .selectFrom('api_keys')
      .select(['org_id', 'project_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return { orgId: org_id, projectId: project_id };
  };

  const rowsOf = async (storage: Storage, orgId: string) => {
    const found: Record<string, number> = {};
    for (const { name, columns } of await storage.db.introspection.getTables()) {
      if (!columns.some((column) => column.name === 'org_id')) continue;
      const { count } = await acrossTenants(storage.db)
        .selectFrom(name as 'organizations')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('org_id' as never, '=', orgId as never)
        .executeTakeFirstOrThrow();
      if (Number(count) > 0) found[name] = Number(count);
    }
    return found;
  };

  it('give back what they rent first, and stay while that cannot be', async () => {
    const { storage, access, clock, expiry, given, carrierKeeps } = await open();
    const { orgId } = await mint(storage, access);
    clock.advance(26 * HOUR);
    carrierKeeps(() => true);
    expect(await expiry.sweep()).toBe(0);
    expect(Object.keys(await rowsOf(storage, orgId))).toContain('api_keys');
    carrierKeeps(() => false);
    expect(await expiry.sweep()).toBe(1);
    expect(given).toEqual([orgId]);
  });

  it('go although a hundred older ones cannot', async () => {
    const { storage, access, clock, expiry, given, carrierKeeps } = await open();
    const { orgId } = await mint(storage, access);
    const row = await storage.db
      .selectFrom('organizations')
      .selectAll()
      .where('id', '=', orgId)
      .executeTakeFirstOrThrow();
    const older = Array.from({ length: 150 }, (_, at) => ({
      ...row,
      id: `org_older${at}`,
      created_at: Number(row.created_at) - 1_000 + Math.floor(at / 2),
    }));
    await storage.db.insertInto('organizations').values(older).execute();
    carrierKeeps((id) => id.startsWith('org_older'));
    clock.advance(26 * HOUR);
    expect(await expiry.sweep()).toBe(1);
    expect(given).toEqual([orgId]);
  });

  it('go with their rows, files and jobs once the key has expired, and no others', async () => {
    const { storage, access, clock, blobs, expiry, fill, organization } = await open();
    const minted = await mint(storage, access);
    const theirs = await fill(minted.orgId, minted.projectId);
    const stored = await fill(organization.orgId, organization.projectId);
    const before = await rowsOf(storage, organization.orgId);
    const forgotten: string[] = [];
    storage.listen('kept-sounds', { onMessage: (owner) => forgotten.push(owner), onGap: () => {} });
    expect(Object.keys(await rowsOf(storage, minted.orgId)).length).toBeGreaterThan(
      Object.keys(SEEDS).length,
    );
    clock.advance(24 * HOUR);
    expect(await expiry.sweep()).toBe(0);
    clock.advance(2 * HOUR);
    expect(await expiry.sweep()).toBe(1);
    const left = Object.keys(await rowsOf(storage, minted.orgId)).filter((name) => !AUDIT.includes(name));
    expect(left).toEqual([]);
    expect(await blobs.stat(theirs.key)).toBeNull();
    const jobs = await storage.db.selectFrom('jobs').select('id').execute();
    expect(jobs.map(({ id }) => id)).toEqual([`job_${organization.orgId}`]);
    const organizations = await storage.db.selectFrom('organizations').select('id').execute();
    expect(organizations.map(({ id }) => id)).not.toContain(minted.orgId);
    expect(await rowsOf(storage, organization.orgId)).toEqual(before);
    expect(await blobs.stat(stored.key)).not.toBeNull();
    await expect.poll(() => forgotten).toEqual([`${minted.orgId} ${minted.projectId} live`]);
    expect(await theirs.found()).toEqual([]);
    expect(await stored.found()).toHaveLength(1);
    expect(await expiry.sweep()).toBe(0);
  });

  it('stay while a legal hold is on a record of theirs, and go when half of them has gone', async () => {
    const { storage, access, clock, expiry, fill } = await open();
    const { orgId, projectId } = await mint(storage, access);
    const { scope } = await fill(orgId, projectId);
    const holds = new LegalHolds(storage, clock, [{ has: async () => true }]);
    await holds.place(scope, 'job_held', 'a case', SYSTEM_ACTOR);
    clock.advance(48 * HOUR);
    expect(await expiry.sweep()).toBe(0);
    await holds.release(scope, 'job_held', SYSTEM_ACTOR);
    await storage.db.deleteFrom('api_keys').where('org_id', '=', orgId).execute();
    expect(await expiry.sweep()).toBe(1);
    expect(Object.keys(await rowsOf(storage, orgId)).filter((name) => !AUDIT.includes(name))).toEqual([]);
  });
});
