// @requirement Backup: Backups run while the server serves, survive a kill and check sums, and erasures survive a restore.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBlobs, openStorage } from '../../../src/foundation/storage/index.ts';
import { outputOf } from '../../apps/cli/output-of.ts';
import { pollDelay } from '../../poll.ts';
import { compileProgram, dataFolder, Running } from '../../running-server.ts';
import { copySqlite } from '../storage/templates.ts';

beforeAll(compileProgram, 180_000);

let home: string;
let data: string;
let backup: string;
beforeEach(async () => {
  home = dataFolder();
  data = join(home, 'data');
  backup = join(home, 'backup');
  mkdirSync(join(data, 'blobs/audio/ab/org_1'), { recursive: true });
  await copySqlite(data);
  writeFileSync(join(data, 'blobs/audio/ab/org_1/call.wav'), 'what was said');
});

async function trunkline(args: string[], environment: Record<string, string> = {}) {
  const all = { TRUNKLINE_DATA: data, TRUNKLINE_LOG_LEVEL: 'silent', ...environment };
  const { code, out, error } = await outputOf(args, all);
  return { code, said: out, error };
}

async function apart(args: string[]) {
  const running = new Running(args, { TRUNKLINE_DATA: data, TRUNKLINE_LOG_LEVEL: 'silent' });
  return { code: await running.code(), error: running.errors };
}
const done = { code: 0, error: '' };
const refused = (error: string) => ({ code: 1, error: expect.stringContaining(error) });
const inData = (statement: string) => {
  const database = new BetterSqlite(join(data, 'trunkline.db'));
  database.exec(statement);
  database.close();
};

describe('a backup', () => {
  it('is the database in one file and every file beside it, with sums that sha256sum checks', async () => {
    writeFileSync(join(data, '.half'), 'not done');
    expect(await trunkline(['backup', backup])).toMatchObject({
      ...done,
      said: expect.stringMatching(/: 2 files, /),
    });
    expect(readdirSync(backup).sort()).toEqual(['SHA256SUMS', 'about.json', 'data']);
    expect(readdirSync(join(backup, 'data')).sort()).toEqual(['blobs', 'trunkline.db']);
    const checked = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
      cwd: backup,
      encoding: 'utf8',
    });
    expect(checked.stdout.trim().split('\n').sort()).toEqual([
      'about.json: OK',
      'data/blobs/audio/ab/org_1/call.wav: OK',
      'data/trunkline.db: OK',
    ]);
    expect(await trunkline(['restore', backup, '--check'])).toMatchObject({
      ...done,
      said: expect.stringContaining('all 3 files'),
    });
  });

  it('holds what a writer had committed at one moment, with the files of its rows', async () => {
    inData('create table one (name text); create table two (name text)');
    const storage = await openStorage({ dataDir: data });
    const blobs = await openBlobs({ folder: join(data, 'blobs') });
    const key = (name: string) => ({ area: 'audio', owner: 'org_2', name });
    const insert = (table: string, name: string) => sql`insert into ${sql.table(table)} values (${name})`;
    let written = 0;
    const write = async () => {
      const name = `take-${++written}`;
      await blobs.put(
        key(name),
        (async function* () {
          yield Buffer.alloc(4096, name);
        })(),
        { payer: null },
      );
      await storage.transaction(async (transaction) => {
        await insert('one', name).execute(transaction);
        await insert('two', name).execute(transaction);
      });
    };
    let over = false;
    const backingUp = apart(['backup', backup]).finally(() => {
      over = true;
    });
    while (!over) await write();
    expect(await backingUp).toMatchObject(done);
    await storage.close();
    const copy = new BetterSqlite(join(backup, 'data/trunkline.db'), { readonly: true });
    const names = (table: string) =>
      copy.prepare(`select name from ${table} order by rowid`).pluck().all() as string[];
    expect(names('one')).toEqual(names('two'));
    expect(names('one')).toEqual(names('one').map((_name, at) => `take-${at + 1}`));
    expect(written).toBeGreaterThan(names('one').length);
    copy.close();
    rmSync(data, { recursive: true });
    expect(await trunkline(['restore', backup])).toMatchObject(done);
    const restored = await openBlobs({ folder: join(data, 'blobs') });
    for (const name of namesIn(data))
      expect(await restored.stat(key(name)), name).toMatchObject({ bytes: 4096 });
  });

  it('that is killed leaves nothing under its name, and the next one is whole', async () => {
    const large = join(data, 'blobs/audio/ab/org_1/long.wav');
    writeFileSync(large, '');
    truncateSync(large, 4_000_000_000);
    const killed = new Running(['backup', backup], { TRUNKLINE_DATA: data });
    while (!existsSync(join(`${backup}.unfinished`, 'data/blobs/audio/ab/org_1/long.wav'))) await pollDelay();
    killed.child.kill('SIGKILL');
    expect(await killed.code()).toBeNull();
    expect(existsSync(backup)).toBe(false);
    expect(existsSync(`${backup}.unfinished`)).toBe(true);
    rmSync(large);
    expect(await trunkline(['backup', backup])).toMatchObject(done);
    expect(readdirSync(home).sort()).toEqual(['backup', 'data']);
    expect(await trunkline(['restore', backup, '--check'])).toMatchObject(done);
  });

  it('is not written over another, into the data itself, of nothing, or of a damaged database', async () => {
    mkdirSync(backup);
    expect(await trunkline(['backup', backup])).toMatchObject(refused('already exists: choose a new folder'));
    expect(await trunkline(['backup', join(data, 'backup')])).toMatchObject(
      refused('is inside the data folder'),
    );
    const nothing = join(home, 'nothing');
    expect(await trunkline(['backup', `${backup}2`], { TRUNKLINE_DATA: nothing })).toMatchObject(
      refused('nothing to back up'),
    );
    expect(await trunkline(['backup', join(home, 'absent/backup')])).toMatchObject(done);
    const page = Buffer.alloc(4096, 0xff);
    const database = readFileSync(join(data, 'trunkline.db'));
    for (let at = 4; at < 60; at++) page.copy(database, at * 4096);
    writeFileSync(join(data, 'trunkline.db'), database);
    expect(await trunkline(['backup', `${backup}3`])).toMatchObject(refused('damaged'));
    expect(readdirSync(home).sort()).toEqual(['absent', 'backup', 'data']);
  });

  it('of a cluster is for the tools of its stores', async () => {
    const postgres = { TRUNKLINE_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    expect(await trunkline(['backup', backup], postgres)).toMatchObject(refused('pg_dump'));
    expect(await trunkline(['backup', backup], { TRUNKLINE_S3_BUCKET: 'calls' })).toMatchObject(
      refused('bucket'),
    );
  });
});

function namesIn(folder: string): string[] {
  const database = new BetterSqlite(join(folder, 'trunkline.db'), { readonly: true });
  const names = database.prepare('select name from one').pluck().all() as string[];
  database.close();
  return names;
}

describe('a restore', () => {
  beforeEach(async () => {
    expect(await trunkline(['backup', backup])).toMatchObject(done);
  });
  const said = () => readFileSync(join(data, 'blobs/audio/ab/org_1/call.wav'), 'utf8');

  it('leaves data that is there alone, unless it is told to put it aside', async () => {
    writeFileSync(join(data, 'blobs/audio/ab/org_1/call.wav'), 'said later');
    expect(await trunkline(['restore', backup])).toMatchObject(refused('is not empty'));
    expect(said()).toBe('said later');
    expect(await trunkline(['restore', backup, '--replace'])).toMatchObject(done);
    expect(said()).toBe('what was said');
    const [aside] = readdirSync(data).filter((name) => name.startsWith('replaced-'));
    expect(readFileSync(join(data, aside as string, 'blobs/audio/ab/org_1/call.wav'), 'utf8')).toBe(
      'said later',
    );
    expect(readdirSync(data).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(await trunkline(['backup', `${backup}2`])).toMatchObject(done);
    expect(readdirSync(join(`${backup}2`, 'data')).sort()).toEqual(['blobs', 'trunkline.db']);
  });

  it('keeps whom the replaced data had forgotten, and whom the data that a killed restore put aside had', async () => {
    const order = (id: string) => `blobs/erasures/ab/${id}/erasure.json`;
    const orderIn = (id: string) => readFileSync(join(data, order(id)), 'utf8');
    const note = (folder: string, id: string) => {
      mkdirSync(join(folder, order(id), '..'), { recursive: true });
      writeFileSync(join(folder, order(id)), id);
    };
    note(data, 'era_1');
    note(join(data, 'replaced-before'), 'era_2');
    expect(await trunkline(['restore', backup, '--replace'])).toMatchObject(done);
    expect([orderIn('era_1'), orderIn('era_2')]).toEqual(['era_1', 'era_2']);
  });

  it('replaces nothing under a server', async () => {
    const storage = await openStorage({ dataDir: data });
    expect(await trunkline(['restore', backup, '--replace'])).toMatchObject(
      refused('is in use by a running server'),
    );
    await storage.close();
    expect(await trunkline(['restore', backup, '--replace'])).toMatchObject(done);
  });

  it('takes the place of a damaged database', async () => {
    writeFileSync(join(data, 'trunkline.db'), 'no database at all, but long enough to be looked at');
    expect(await trunkline(['restore', backup, '--replace'])).toMatchObject(done);
    await (await openStorage({ dataDir: data })).close();
  });

  it('tells a file with other bytes and one that is gone, and touches nothing', async () => {
    appendFileSync(join(backup, 'data/blobs/audio/ab/org_1/call.wav'), '!');
    rmSync(join(backup, 'about.json'));
    for (const args of [['--check'], ['--replace']]) {
      const failed = await trunkline(['restore', backup, ...args]);
      expect(failed).toMatchObject(refused('about.json is missing'));
      expect(failed).toMatchObject(refused('call.wav was changed'));
    }
    expect(said()).toBe('what was said');
    expect(readdirSync(data).filter((name) => name.startsWith('replaced-'))).toEqual([]);
  });

  it('takes no path that leads out, and no folder that is not a backup', async () => {
    appendFileSync(join(backup, 'SHA256SUMS'), `${'0'.repeat(64)}  data/../../outside\n`);
    expect(await trunkline(['restore', backup, '--replace'])).toMatchObject(refused('has an invalid line'));
    symlinkSync(data, join(home, 'other'));
    expect(await trunkline(['restore', join(home, 'other')])).toMatchObject(refused('is not a backup'));
  });

  it('takes no data that a newer version wrote, and that version does not start on it', async () => {
    inData("insert into schema_migrations values (9999, 'of-tomorrow', 'x', 0)");
    expect(await trunkline(['backup', `${backup}2`])).toMatchObject(done);
    const newer = refused('migration 9999 (of-tomorrow), which this program does not know');
    expect(await trunkline(['restore', `${backup}2`, '--check'])).toMatchObject(newer);
    expect(await trunkline(['restore', `${backup}2`, '--replace'])).toMatchObject(newer);
    const started = await apart(['serve']);
    expect(started).toMatchObject(newer);
    expect(started.error).toContain(
      'Install the version that wrote them, or restore a backup that was made before.',
    );
    expect(started.error.trim().split('\n')).toHaveLength(1);
  });
});
