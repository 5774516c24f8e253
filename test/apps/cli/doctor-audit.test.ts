// @requirement Audit log: `doctor` verifies the hash chain.
/** The store refuses a change of the audit log, and `doctor` reports one that bypassed the store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { report } from '../../../src/apps/cli/doctor-handlers.ts';
import { appendAuditRecord, COMMAND_LINE_ACTOR } from '../../../src/foundation/audit/index.ts';
import { loadConfig } from '../../../src/foundation/platform/config/index.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { type EmptyDatabase, migratedDatabase, onBothDatabases } from '../../foundation/storage/databases.ts';

const ORG = 'org_00000000000000000000';

async function written(storage: Storage): Promise<void> {
  for (const target of ['key_1', 'key_2', 'key_3']) {
    const deed = {
      orgId: ORG,
      by: COMMAND_LINE_ACTOR,
      action: 'key.created',
      target,
      before: null,
      after: null,
    };
    await storage.transaction((trx) => appendAuditRecord(trx, 1, deed));
  }
}

async function doctor(environment: Record<string, string>) {
  const said: string[] = [];
  await report(
    {
      environment,
      config: () => loadConfig(environment),
      log: () => createLog({ level: 'silent' }),
      out: (line) => said.push(line),
      error: (line) => said.push(line),
      exit: () => {},
    },
    { json: true },
  );
  const findings = JSON.parse(said.join('\n')) as { name: string; works: boolean; detail?: string }[];
  return findings.find(({ name }) => name === 'audit log');
}

onBothDatabases('the audit log', (databases) => {
  it('refuses to change, replace or lose an entry', async () => {
    const storage = await databases.open();
    await written(storage);
    const { db } = storage;
    const entries = await db.selectFrom('audit_entries').selectAll().orderBy('sequence').execute();
    const [first] = entries;
    const attempts = [
      db.updateTable('audit_entries').set({ target: 'x' }),
      db.deleteFrom('audit_entries').where('sequence', '=', 3),
      db
        .insertInto('audit_entries')
        .values({ ...first!, target: 'x' })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ target: 'x' })),
      databases.dialect === 'sqlite'
        ? db.replaceInto('audit_entries').values({ ...first!, target: 'x' })
        : { execute: () => sql`truncate audit_entries`.execute(db) },
    ];
    for (const attempt of attempts) await expect(attempt.execute()).rejects.toThrow('append-only');
    expect(await db.selectFrom('audit_entries').selectAll().orderBy('sequence').execute()).toEqual(entries);
  });

  it('is told by doctor to be whole, and where it is not', async () => {
    const models = mkdtempSync(join(tmpdir(), 'no-models-'));
    const data = mkdtempSync(join(tmpdir(), 'doctor-'));
    const database = await migratedDatabase(databases.dialect);
    databases.after(async () => {
      await database.remove();
      for (const folder of [models, data]) rmSync(folder, { recursive: true, force: true });
    });
    const environment = { ...placeOf(database, data), TRUNKLINE_MODELS: models, TRUNKLINE_PORT: '1' };
    const storage = await openStorage(database.options);
    await written(storage);
    expect(await doctor(environment)).toEqual({ name: 'audit log', works: true, required: true });
    // An attacker with the whole database can drop the triggers; the hash chain still shows the change.
    const drop =
      databases.dialect === 'sqlite'
        ? 'drop trigger audit_entries_no_update'
        : 'drop trigger audit_entries_stand on audit_entries';
    await sql.raw(drop).execute(storage.db);
    await storage.db.updateTable('audit_entries').set({ target: 'x' }).where('sequence', '=', 2).execute();
    await storage.close();
    expect(await doctor(environment)).toMatchObject({
      works: false,
      required: true,
      detail: `${ORG}: entry 2 was changed or is missing`,
    });
  });
});

const placeOf = ({ options }: EmptyDatabase, data: string): Record<string, string> => ({
  TRUNKLINE_DATA: options.dataDir ?? data,
  ...(options.databaseUrl ? { TRUNKLINE_DATABASE_URL: options.databaseUrl } : {}),
});
