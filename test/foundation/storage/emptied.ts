import type pg from 'pg';
import { pollDelay } from '../../poll.ts';
import { onServer, urlOf } from './templates.ts';

/** A database with today's schema has a shape before a test, and the rows that migrations put into it. */
interface Fresh {
  readonly shape: string;
  readonly filled: readonly string[];
  readonly rows: string;
}

const ASKED_SHAPE = `select md5(string_agg(line, ';' order by line)) as shape from (
  select a.attrelid::regclass || '.' || a.attname || a.atttypid || a.attnotnull || a.atthasdef as line from pg_attribute a
    join pg_class c on c.oid = a.attrelid where c.relnamespace = 'public'::regnamespace and not a.attisdropped
  union all select tgrelid::regclass || '.' || tgname from pg_trigger where not tgisinternal
  union all select conrelid::regclass || '.' || conname from pg_constraint where connamespace = 'public'::regnamespace
  union all select proname from pg_proc where pronamespace = 'public'::regnamespace) lines`;

async function shapeOf(client: pg.Client): Promise<string> {
  return (await client.query(ASKED_SHAPE)).rows[0].shape;
}

async function filledIn(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    `select tablename from pg_tables where schemaname = 'public' order by tablename`,
  );
  const each = rows.map(
    ({ tablename }) => `select '${tablename}' as name where exists (select 1 from "${tablename}")`,
  );
  return (await client.query(each.join(' union all '))).rows.map(({ name }) => name);
}

async function rowsOf(client: pg.Client, tables: readonly string[]): Promise<string> {
  const each = tables.map(
    (name) => `select '${name}' as name, string_agg(t::text, ';' order by t::text) as rows from "${name}" t`,
  );
  return JSON.stringify((await client.query(each.join(' union all '))).rows);
}

let fresh: Fresh | undefined;

/** Call it with a database that nobody has used yet. A template cannot be asked: nobody may copy it meanwhile. */
export async function noteFresh(name: string): Promise<void> {
  if (fresh !== undefined) return;
  await onServer(async (client) => {
    const filled = await filledIn(client);
    fresh = { shape: await shapeOf(client), filled, rows: await rowsOf(client, filled) };
  }, urlOf(name));
}

/** A connection that was closed takes PostgreSQL some milliseconds to end. */
async function isAlone(client: pg.Client): Promise<boolean> {
  for (let look = 0; look < 20; look += 1) {
    const { rows } = await client.query(
      'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    if (rows.length === 0) return true;
    await pollDelay();
  }
  return false;
}

/**
 * Makes the database of a test what it was before: false where that cannot be done, because somebody is still connected,
 * or because the test changed the schema or the rows of migrations.
 */
export async function emptied(name: string): Promise<boolean> {
  const before = fresh;
  if (before === undefined) return false;
  let same = false;
  await onServer(async (client) => {
    if (!(await isAlone(client)) || (await shapeOf(client)) !== before.shape) return;
    const used = (await filledIn(client)).filter((table) => !before.filled.includes(table));
    // No foreign key is checked, so that the order of the tables does not matter.
    const deletions = used.map((table) => `delete from "${table}";`).join(' ');
    await client.query(`set session_replication_role = replica; ${deletions}`);
    const { rows: sequences } = await client.query(
      "select sequencename from pg_sequences where schemaname = 'public'",
    );
    for (const { sequencename } of sequences) await client.query(`alter sequence "${sequencename}" restart`);
    same = (await rowsOf(client, before.filled)) === before.rows;
  }, urlOf(name));
  return same;
}
