import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Compilable, type Kysely, sql, type Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';

export type Dialect = 'sqlite' | 'postgres';

// biome-ignore lint/suspicious/noExplicitAny: a migration speaks of tables as they were then, not of today's types.
export type MigrationBuilder = Kysely<any>;

/**
 * A migration is a numbered step forward. `statements` is pure, so that its text can be compared with what was
 * applied. A module's numbers come from its own range and only grow.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: (db: MigrationBuilder, dialect: Dialect) => readonly Compilable[];
}

export const raw = (db: MigrationBuilder, text: string): Compilable => ({
  compile: () => sql.raw(text).compile(db),
});

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

interface MigrationTables {
  schema_migrations: Applied & { applied_at: number };
}

const LOCK_WAIT_MS = 1_000;
const RETRY_AFTER_MS = 500;
const ATTEMPTS = 80;
const LOCK_NOT_AVAILABLE = '55P03';
/** The value is arbitrary; the lock serializes nodes that start at once. */
const ADVISORY_LOCK = 7_281_935_517;

export class MigrationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MigrationError';
  }
}

const checksumOf = (statements: readonly { sql: string }[]): string =>
  createHash('sha256')
    .update(statements.map(({ sql: text }) => text.replace(/["\s]/g, '').toLowerCase()).join(';'))
    .digest('hex');

const groupOf = (number: number): number => Math.floor(number / 10);

export function checkOrder(migrations: readonly Migration[]): void {
  let previous = 0;
  for (const { number, name } of migrations) {
    if (number <= previous) {
      throw new MigrationError(`Migration ${number} (${name}) follows ${previous}: numbers must increase.`);
    }
    previous = number;
  }
}

function checkAgainstApplied(
  migrations: readonly Migration[],
  applied: readonly Applied[],
  checksum: (migration: Migration) => string,
): readonly Migration[] {
  const known = new Map(migrations.map((migration) => [migration.number, migration]));
  for (const row of applied) {
    const migration = known.get(row.number);
    if (!migration) {
      throw new MigrationError(
        `The database has migration ${row.number} (${row.name}), which this program does not know: it is older than its data. Install the version that wrote them, or restore a backup that was made before.`,
      );
    }
    if (checksum(migration) !== row.checksum) {
      throw new MigrationError(
        `Migration ${row.number} (${row.name}) was changed after it had been applied.`,
      );
    }
  }
  const done = new Set(applied.map(({ number }) => number));
  const pending = migrations.filter(({ number }) => !done.has(number));
  for (const { number, name } of pending) {
    const later = applied.find((row) => groupOf(row.number) === groupOf(number) && row.number > number);
    if (later) {
      throw new MigrationError(
        `Migration ${number} (${name}) is new, but the later ${later.number} was applied already: give it a higher number.`,
      );
    }
  }
  return pending;
}

async function prepare(transaction: Transaction<MigrationTables>, dialect: Dialect): Promise<void> {
  if (dialect === 'postgres') {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`.execute(transaction);
    // A pending table lock blocks all later readers and writers of the table.
    await sql.raw(`set local lock_timeout = ${LOCK_WAIT_MS}`).execute(transaction);
  }
  await transaction.schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('number', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('checksum', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute();
}

const isLockTimeout = (error: unknown): boolean => (error as { code?: string }).code === LOCK_NOT_AVAILABLE;

/**
 * Applies the missing migrations in one transaction and returns their numbers. Where a table is in use, it gives up
 * the lock and retries. `beforeUpgrade` runs before the first change to a database of an earlier version; if it
 * fails, nothing changes.
 */
export async function migrate(
  db: MigrationBuilder,
  dialect: Dialect,
  migrations: readonly Migration[],
  clock: Clock,
  beforeUpgrade: () => Promise<void> = async () => {},
): Promise<readonly number[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await applyMissing(db, dialect, migrations, clock, beforeUpgrade);
    } catch (error) {
      if (!isLockTimeout(error) || attempt === ATTEMPTS) throw error;
      // The wait uses real time, because another connection's transaction must end.
      await setTimeout(RETRY_AFTER_MS);
    }
  }
}

async function applyMissing(
  db: MigrationBuilder,
  dialect: Dialect,
  migrations: readonly Migration[],
  clock: Clock,
  beforeUpgrade: () => Promise<void>,
): Promise<readonly number[]> {
  checkOrder(migrations);
  const compile = (migration: Migration) =>
    migration.statements(db, dialect).map((statement) => statement.compile());
  return await (db as Kysely<MigrationTables>).transaction().execute(async (transaction) => {
    await prepare(transaction, dialect);
    const applied = await transaction
      .selectFrom('schema_migrations')
      .select(['number', 'name', 'checksum'])
      .orderBy('number')
      .execute();
    const pending = checkAgainstApplied(migrations, applied, (migration) => checksumOf(compile(migration)));
    if (applied.length > 0 && pending.length > 0) await beforeUpgrade();
    for (const migration of pending) {
      const statements = compile(migration);
      for (const statement of statements) await transaction.executeQuery(statement);
      await transaction
        .insertInto('schema_migrations')
        .values({
          number: migration.number,
          name: migration.name,
          checksum: checksumOf(statements),
          applied_at: clock.now(),
        })
        .execute();
    }
    return pending.map(({ number }) => number);
  });
}
