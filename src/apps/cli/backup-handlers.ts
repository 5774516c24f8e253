import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BackupError, checkBackup, restoreBackup, takeBackup } from '../../foundation/backup/index.ts';
import { systemClock } from '../../foundation/platform/clock.ts';
import type { Config } from '../../foundation/platform/config/index.ts';
import { PROJECT_ROOT } from '../../foundation/platform/project-root.ts';
import { makePrivate } from '../../foundation/storage/index.ts';
import type { RestoreChoices } from './backup.ts';
import type { CliContext } from './command.ts';

const FAILED = 1;
const FOR_ITS_OWNER = 0o077;
const MEGABYTE = 1_000_000;

export const backUp = (context: CliContext, folder: string): Promise<void> =>
  reportErrors(context, async () => {
    const { data } = embedded(context.config());
    process.umask(FOR_ITS_OWNER);
    const taken = await takeBackup({ data, target: resolve(folder), version: version(), now: now() });
    context.out(`${resolve(folder)}: ${taken.files} files, ${(taken.bytes / MEGABYTE).toFixed(1)} MB`);
  });

export const restore = (context: CliContext, folder: string, choices: RestoreChoices): Promise<void> =>
  reportErrors(context, async () => {
    const backup = resolve(folder);
    if (choices.check) {
      context.out(`${backup}: all ${await checkBackup(backup)} files are unchanged`);
      return;
    }
    const { data } = embedded(context.config());
    makePrivate(data);
    const { files, aside } = await restoreBackup({
      backup,
      data,
      replace: choices.replace === true,
      now: now(),
    });
    if (aside !== null) context.out(`${aside}: the previous data; delete it when you no longer need it`);
    context.out(`${data}: ${files} files restored from ${backup}`);
  });

const now = (): Date => new Date(systemClock.now());

const version = (): string =>
  (JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string }).version;

/** External databases and stores are left to their own backup tools, which take consistent snapshots. */
function embedded(config: Config): Config {
  if (config.databaseUrl !== null)
    throw new BackupError(
      'the database is PostgreSQL (TRUNKLINE_DATABASE_URL); back it up with pg_dump, and then back up the folder or the bucket of stored files',
    );
  if (config.s3Bucket !== null)
    throw new BackupError(
      'files are stored in a bucket (TRUNKLINE_S3_BUCKET), which this command does not back up; use the versioning and the replication of the bucket, and back up the database in the data folder with it',
    );
  return config;
}

async function reportErrors(context: CliContext, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (!(error instanceof BackupError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
    context.error(`error: ${(error as Error).message}`);
    context.exit(FAILED);
  }
}
