/** Owners delete a project and an organization with all their data, and none of others'. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { AnonymousExpiry } from '../../../src/foundation/privacy/index.ts';
import {
  acrossTenants,
  openBlobs,
  QuotaBlobs,
  type Storage,
  withinTenant,
} from '../../../src/foundation/storage/index.ts';
import type { TenantTableName } from '../../../src/foundation/storage/tables/index.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { openApp } from '../../edge/surfaces/account/app.ts';
import { NOON } from '../access/access-service.ts';
import { scopeFor } from '../access/tenant-scopes.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';

const HOUR = 3_600_000;
const PASSWORD = 'long enough for all';

onBothDatabases('what its owner deletes', (databases) => {
  async function open() {
    const folder = mkdtempSync(join(tmpdir(), 'removal-'));
    databases.after(() => rmSync(folder, { recursive: true, force: true }));
    const storage = await databases.open();
    const clock = new ManualClock(NOON);
    const blobs = new QuotaBlobs({
      blobs: await openBlobs({ folder }),
      storage,
      clock,
      quota: async () => null,
    });
    const log = createLog({ level: 'silent' });
    const given: string[] = [];
    const carrier = { isAway: false };
    const giveBack = async (org: string, project = 'all of it') => {
      if (carrier.isAway) throw new Error('the carrier is away');
      const rows = await acrossTenants(storage.db)
        .selectFrom('telephony_numbers')
        .select('project_id')
        .where('org_id', '=', org)
        .execute();
      given.push(...rows.map(({ project_id }) => `${project_id} by ${project}`));
    };
    const expiry = new AnonymousExpiry({
      storage,
      blobs,
      clock,
      background: new BackgroundTasks({ clock }),
      log,
      cleanups: [],
      releaseNumbers: giveBack,
    });
    const app = await openApp(storage, { clock, expiry } as never);
    databases.after(() => app.close());
    const account = { email: 'owner@example.com', password: PASSWORD };
    const made = (await app.ask('POST', '/auth/signup', { body: { ...account, org_name: 'Shop' } })).body;
    const { token } = (await app.ask('POST', '/auth/login', { body: account })).body;
    const orgId = made.organization.id as string;
    const second = (await app.ask('POST', '/v1/projects', { key: token, body: { name: 'Second' } })).body.id;
    const fill = async (projectId: string) => {
      const scope = scopeFor(orgId, { projectId, environment: 'live' });
      for (const table of Object.keys(SEEDS) as TenantTableName[]) {
        if (table === 'legal_holds') continue;
        const row = SEEDS[table](projectId, NOON) as Record<string, unknown>;
        if (table === 'telephony_numbers') row.released_at = NOON;
        // biome-ignore lint/suspicious/noExplicitAny: a table of a list and its own row.
        await (withinTenant(storage.db, scope) as any).insertInto(table, row).execute();
      }
      const { id } = await withinTenant(storage.db, scope)
        .selectFrom('transcription_jobs')
        .select('id')
        .executeTakeFirstOrThrow();
      const key = { area: 'jobs', owner: id, name: 'audio' };
      const payer = { orgId, environment: 'live', bytes: 9 } as const;
      await blobs.put(key, [Buffer.from('RIFF')] as never, { payer });
      return { scope, key };
    };
    const keyOf = async (project_id: string) =>
      (await app.ask('POST', '/v1/keys', { key: token, body: { environment: 'live', project_id } })).body;
    return {
      app,
      storage,
      clock,
      blobs,
      expiry,
      account,
      token,
      orgId,
      first: made.project.id,
      second,
      fill,
      given,
      carrier,
      keyOf,
    };
  }

  const rowsOf = async (storage: Storage, column: string, value: string) => {
    const found: string[] = [];
    for (const { name, columns } of await storage.db.introspection.getTables()) {
      if (!columns.some((each) => each.name === column)) continue;
      const row = await acrossTenants(storage.db)
        .selectFrom(name as 'organizations')
        .selectAll()
        .where(column as never, '=', value as never)
        .limit(1)
        .executeTakeFirst();
      if (row !== undefined) found.push(name);
    }
    return found.sort();
  };

  it('renames projects and the organization', async () => {
    const { app, token, second } = await open();
    const body = { name: 'Renamed' };
    expect((await app.ask('PATCH', `/v1/projects/${second}`, { key: token, body })).body).toMatchObject({
      object: 'project',
      id: second,
      name: 'Renamed',
    });
    expect((await app.ask('PATCH', '/v1/organization', { key: token, body })).body.name).toBe('Renamed');
    expect((await app.ask('GET', '/auth/session', { key: token })).body.organization.name).toBe('Renamed');
    const blank = await app.ask('PATCH', '/v1/organization', { key: token, body: { name: '  ' } });
    expect([blank.status, blank.body.error.param]).toEqual([400, 'name']);
    const foreign = await app.ask('PATCH', '/v1/projects/proj_x', { key: token, body });
    expect(foreign.status).toBe(404);
  });

  it('takes a project with its rows, files and keys, and leaves the other alone', async () => {
    const { app, storage, blobs, token, first, second, fill, keyOf } = await open();
    const [stored, gone] = [await fill(first), await fill(second)];
    const [alive, dead] = [await keyOf(first), await keyOf(second)];
    const before = await rowsOf(storage, 'project_id', first);
    const del = () => app.ask('DELETE', `/v1/projects/${second}`, { key: token });
    const held = { record: 'job_x', reason: 'x', placed_at: NOON };
    await withinTenant(storage.db, gone.scope).insertInto('legal_holds', held).execute();
    expect((await del()).body.error.code).toBe('legal_hold');
    await withinTenant(storage.db, gone.scope).deleteFrom('legal_holds').execute();
    expect((await del()).body).toEqual({ id: second, object: 'project', deleted: true });
    expect((await app.ask('GET', '/v1/me', { key: dead.api_key })).status).toBe(401);
    expect((await app.ask('GET', '/v1/me', { key: alive.api_key })).status).toBe(200);
    expect(await rowsOf(storage, 'project_id', second)).toEqual(
      ['api_keys', 'audit_entries', 'usage_events', 'usage_holds'].filter((name) => before.includes(name)),
    );
    expect(await rowsOf(storage, 'project_id', first)).toEqual(before);
    expect(await blobs.stat(gone.key)).toBeNull();
    expect(await blobs.stat(stored.key)).not.toBeNull();
    const listed = (await app.ask('GET', '/v1/projects', { key: token })).body.data;
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([first]);
    expect((await del()).status).toBe(404);
    const last = await app.ask('DELETE', `/v1/projects/${first}`, { key: token });
    expect([last.status, last.body.error.code]).toEqual([409, 'last_project']);
  });

  it('keeps a project that still rents a telephone number', async () => {
    const { app, storage, token, second, fill } = await open();
    const { scope } = await fill(second);
    await withinTenant(storage.db, scope)
      .updateTable('telephony_numbers')
      .set({ released_at: null })
      .execute();
    const refused = await app.ask('DELETE', `/v1/projects/${second}`, { key: token });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'project_in_use']);
  });

  it('gives back what it rents before its rows go, and as soon as the carrier takes it', async () => {
    const { app, storage, token, orgId, first, second, fill, given, carrier, expiry, clock } = await open();
    await fill(first);
    await fill(second);
    carrier.isAway = true;
    await app.ask('DELETE', `/v1/projects/${second}`, { key: token });
    expect(await rowsOf(storage, 'project_id', second)).toContain('telephony_numbers');
    clock.advance(72 * HOUR);
    await expiry.sweep();
    expect(given).toEqual([]);
    carrier.isAway = false;
    await expiry.sweep();
    expect(await rowsOf(storage, 'project_id', second)).not.toContain('telephony_numbers');
    expect(given).toContain(`${second} by ${second}`);
    given.length = 0;
    carrier.isAway = true;
    await app.ask('DELETE', '/v1/organization', { key: token });
    carrier.isAway = false;
    clock.advance(2 * HOUR);
    await expiry.sweep();
    expect(given).toEqual([`${first} by all of it`]);
    expect(await rowsOf(storage, 'org_id', orgId)).not.toContain('telephony_numbers');
  });

  it('takes an organization with everything at once, and its last rows with the sweep', async () => {
    const { app, storage, blobs, clock, expiry, account, token, orgId, first, fill, keyOf } = await open();
    const { key } = await fill(first);
    const { api_key } = await keyOf(first);
    const done = await app.ask('DELETE', '/v1/organization', { key: token });
    expect(done.body).toEqual({ id: orgId, object: 'organization', deleted: true });
    expect((await app.ask('GET', '/auth/session', { key: token })).status).toBe(401);
    expect((await app.ask('GET', '/v1/me', { key: api_key })).status).toBe(401);
    expect((await app.ask('POST', '/auth/login', { body: account })).status).toBe(401);
    expect(await blobs.stat(key)).toBeNull();
    expect(await rowsOf(storage, 'org_id', orgId)).not.toContain('omni_calls');
    clock.advance(2 * HOUR);
    expect(await expiry.sweep()).toBe(1);
    expect(await rowsOf(storage, 'org_id', orgId)).toEqual(['audit_entries', 'audit_heads']);
    expect((await app.ask('POST', '/auth/signup', { body: account })).status).toBe(201);
  });
});
