import { expect, it } from 'vitest';
import { openStorage } from '../../../src/foundation/storage/index.ts';
import { MIGRATIONS } from '../../../src/foundation/storage/migrations/index.ts';
import { onBothDatabases } from '../storage/databases.ts';

onBothDatabases('sums of days from before they told projects apart', ({ empty, after }) => {
  it('belong to the project of their key, or to the only one of their organization', async () => {
    const { options } = await empty();
    const earlier = await openStorage({
      ...options,
      migrations: MIGRATIONS.filter(({ number }) => number < 293),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the tables as they were then.
    const db = earlier.db as any;
    const at = { created_at: 1 };
    for (const id of ['org_one', 'org_two'])
      await db
        .insertInto('organizations')
        .values({ id, name: id, kind: 'customer', plan: 'standard', trace_entitled: 0, ...at })
        .execute();
    for (const [id, org_id] of [
      ['proj_a', 'org_one'],
      ['proj_b', 'org_two'],
      ['proj_c', 'org_two'],
    ])
      await db
        .insertInto('projects')
        .values({ id, org_id, name: id, ...at })
        .execute();
    await db
      .insertInto('api_keys')
      .values({
        id: 'key_c',
        org_id: 'org_two',
        project_id: 'proj_c',
        name: 'Key',
        environment: 'live',
        scopes: '[]',
        secret_hash: 'hash',
        hint: 'svc_live_x',
        ...at,
      })
      .execute();
    const sum = { day: '2026-11-21', meter: 'omni', environment: 'live', call_minutes: 0, calls: 0 };
    await db
      .insertInto('usage_days')
      .values([
        { ...sum, org_id: 'org_one', key_id: '', milliseconds: 1 },
        { ...sum, org_id: 'org_two', key_id: 'key_c', milliseconds: 2 },
        { ...sum, org_id: 'org_two', key_id: '', milliseconds: 3 },
      ])
      .execute();
    await earlier.close();
    const now = await openStorage(options);
    after(() => now.close());
    const rows = await now.db
      .selectFrom('usage_days')
      .select(['org_id', 'project_id', 'milliseconds'])
      .orderBy('milliseconds')
      .execute();
    expect(rows.map((row) => [row.org_id, row.project_id, Number(row.milliseconds)])).toEqual([
      ['org_one', 'proj_a', 1],
      ['org_two', 'proj_c', 2],
      ['org_two', '', 3],
    ]);
  });
});
