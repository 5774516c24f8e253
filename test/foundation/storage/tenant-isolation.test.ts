// @requirement Tenant isolation: Every query is filtered by organization, project and environment, by type.
import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import {
  acrossTenants,
  openStorage,
  type Storage,
  withinTenant,
} from '../../../src/foundation/storage/index.ts';
import { MIGRATIONS } from '../../../src/foundation/storage/migrations/index.ts';
import { scopeFor } from '../access/tenant-scopes.ts';
import { onBothDatabases } from './databases.ts';

const OURS = scopeFor('org_a');
const OTHERS = {
  'another organization': scopeFor('org_b'),
  'another project': scopeFor('org_a', { projectId: 'proj_2' }),
  'another environment': scopeFor('org_a', { environment: 'sandbox' }),
};

const design = (id: string) => ({
  id,
  description: 'calm',
  text: 'Hello.',
  candidates: '[]',
  created_at: 1,
  expires_at: 2,
});

/**
 * This function never runs: each line must fail the type check, or `tsc` reports that the expected error is missing.
 */
export function forgetful(storage: Storage): void {
  // @ts-expect-error a table of customers' rows is unknown without a tenant scope
  void storage.db.selectFrom('omni_calls').selectAll().execute();
  // @ts-expect-error nor may it be changed
  void storage.db.updateTable('transcription_jobs').set({ error: null }).execute();
  // @ts-expect-error nor are the parts of its rows
  void storage.db.selectFrom('transcription_results').selectAll().execute();
  // @ts-expect-error a tenant scope is not three strings that anybody may put together
  withinTenant(storage.db, { org: 'org_a', project: 'proj_1', environment: 'live' });
  // @ts-expect-error and no row says its own
  withinTenant(storage.db, OURS).insertInto('speak_designs', { ...design('x'), org_id: 'org_b' });
}

onBothDatabases('borders', (databases) => {
  it('hides rows of another organization, project and environment from every kind of query', async () => {
    const storage = await databases.open();
    await withinTenant(storage.db, OURS).insertInto('speak_designs', design('vdr_1')).execute();
    for (const [whose, scope] of Object.entries(OTHERS)) {
      const theirs = withinTenant(storage.db, scope);
      expect(await theirs.selectFrom('speak_designs').selectAll().execute(), whose).toEqual([]);
      const changed = await theirs.updateTable('speak_designs').set({ text: 'x' }).executeTakeFirst();
      expect(changed.numUpdatedRows, whose).toBe(0n);
      const deleted = await theirs.deleteFrom('speak_designs').executeTakeFirst();
      expect(deleted.numDeletedRows, whose).toBe(0n);
    }
    expect(await withinTenant(storage.db, OURS).selectFrom('speak_designs').select('text').execute()).toEqual(
      [{ text: 'Hello.' }],
    );
  });

  it('hides the parts of a row with the row', async () => {
    const storage = await databases.open();
    await sql`insert into transcription_jobs (id, org_id, project_id, environment, status, request, max_bytes, max_seconds, progress, created_at)
      values ('job_1', 'org_a', 'proj_1', 'live', 'completed', '{}', 1, 1, 0, 1)`.execute(storage.db);
    await acrossTenants(storage.db)
      .insertInto('transcription_results')
      .values({ job_id: 'job_1', document: '{}' })
      .execute();
    const read = (scope: typeof OURS) =>
      withinTenant(storage.db, scope).selectFromPart('transcription_results').selectAll().execute();
    expect(await read(OURS)).toHaveLength(1);
    for (const scope of Object.values(OTHERS)) expect(await read(scope)).toEqual([]);
  });

  it('gives what stands to its project and environment, and loses nothing', async () => {
    const database = await databases.empty();
    const before = await openStorage({
      ...database.options,
      migrations: MIGRATIONS.filter(({ number }) => number < 190),
    });
    const old = before.db as unknown as Kysely<Record<string, Record<string, unknown>>>;
    for (const [org, project] of [
      ['org_a', 'proj_a'],
      ['org_b', 'proj_b'],
    ] as const) {
      await old
        .insertInto('organizations')
        .values({ id: org, name: org, kind: 'account', plan: 'standard', trace_entitled: 0, created_at: 1 })
        .execute();
      await old
        .insertInto('projects')
        .values({ id: project, org_id: org, name: project, created_at: 1 })
        .execute();
      await old
        .insertInto('hear_vocabularies')
        .values({ org_id: org, terms: '[]', batch_active: 1, streaming_active: 0, updated_at: 1 })
        .execute();
      await old
        .insertInto('speak_voices')
        .values({
          id: `vc_${org}`,
          org_id: org,
          name: 'x',
          source: 'clone',
          engine: '{}',
          meta: '{}',
          created_at: 1,
        })
        .execute();
    }
    await old.insertInto('webhook_secrets').values({ org_id: 'org_a', secret: 's', created_at: 1 }).execute();
    await old
      .insertInto('api_keys')
      .values({
        id: 'key_a',
        org_id: 'org_a',
        project_id: 'proj_a',
        name: '',
        environment: 'live',
        scopes: '[]',
        secret_hash: '',
        hint: '',
        created_at: 1,
      })
      .execute();
    await before.close();
    const storage = await openStorage(database.options);
    databases.after(() => storage.close());
    const live = scopeFor('org_a', { projectId: 'proj_a' });
    const sandbox = scopeFor('org_a', { projectId: 'proj_a', environment: 'sandbox' });
    for (const scope of [live, sandbox]) {
      const mine = withinTenant(storage.db, scope);
      expect(await mine.selectFrom('hear_vocabularies').select('batch_active').execute()).toEqual([
        { batch_active: 1 },
      ]);
      expect(await mine.selectFrom('webhook_secrets').select('secret').execute()).toEqual([{ secret: 's' }]);
    }
    // The migration makes a voice live where its organization had a live key, and a sandbox voice otherwise.
    const voices = (scope: typeof live) =>
      withinTenant(storage.db, scope).selectFrom('speak_voices').select('id').execute();
    expect(await voices(live)).toEqual([{ id: 'vc_org_a' }]);
    const other = scopeFor('org_b', { projectId: 'proj_b', environment: 'sandbox' });
    expect(await voices(other)).toEqual([{ id: 'vc_org_b' }]);
  });
});
