import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { POSTGRES_URL } from './templates.ts';

const HOME = '/usr/lib/postgresql';
const [PG_DUMP = '', PG_RESTORE = ''] = ['pg_dump', 'pg_restore'].map((name) => {
  const versions = existsSync(HOME) ? readdirSync(HOME).sort().reverse() : [];
  return versions.map((version) => `${HOME}/${version}/bin/${name}`).find((path) => existsSync(path));
});

/** Names what a dump lacks on this machine. The text is empty where nothing is missing. */
export const noDumps = !POSTGRES_URL ? 'TRUNKLINE_TEST_DATABASE_URL' : PG_DUMP && PG_RESTORE ? '' : 'pg_dump';

export const dumpPostgres = (url: string, file: string) =>
  program(PG_DUMP, ['--format=custom', `--file=${file}`, url]);

export const restorePostgres = (url: string, file: string) =>
  program(PG_RESTORE, ['--no-owner', '--schema=public', `--dbname=${url}`, file]);

function program(name: string, args: string[]): void {
  const { status, stderr } = spawnSync(name, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
}
