import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import { randomBase62 } from '../platform/ids.ts';
import type { Storage, Tables } from '../storage/index.ts';
import { Sealer } from './sealer.ts';

export const SEALING_KEY_FILE = 'sealing.key';

const KEY_BYTES = 32;
const HEX = /^[0-9a-f]{64}\n?$/;
const KEY_CHECK_ROW = 'sealing check';
/** Earlier versions stored the key in the database under this name. */
const LEGACY_DATABASE_KEY = 'sealing';
export const SEALING_ROWS: readonly string[] = [KEY_CHECK_ROW, LEGACY_DATABASE_KEY];
const OTHERS = 0o077;

/** Seals again with the new key what was sealed with the old one. `old` is null where it was stored unsealed. */
export type Reseal = (trx: Transaction<Tables>, keys: ResealKeys) => Promise<void>;

export interface ResealKeys {
  readonly old: Buffer | null;
  readonly current: Buffer;
}

export interface SealingKeyOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly keySecret: string | null;
  readonly reseal: Reseal;
}

/**
 * The key seals customers' secrets. It is never in the database that stores them: it is the operator's setting, or a
 * file in the data folder that only this process's user can read.
 */
export class SealingKey {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
  }

  sealer(purpose: string): Sealer {
    return new Sealer(this.#key, purpose);
  }

  static async open({ storage, clock, dataDir, keySecret, reseal }: SealingKeyOptions): Promise<SealingKey> {
    const key = await storage.transaction(async (trx) => {
      // The read comes late on purpose: another process on the folder may have created the file since a failed
      // attempt.
      const file = readKeyFile(dataDir);
      const given = keySecret === null ? file : Buffer.from(keySecret, 'utf8');
      const rows = await trx
        .selectFrom('deployment_secrets')
        .select(['name', 'value'])
        .where('name', 'in', [KEY_CHECK_ROW, LEGACY_DATABASE_KEY])
        .execute();
      const stored = (name: string) => rows.find((row) => row.name === name)?.value;
      const known = stored(KEY_CHECK_ROW);
      if (given === null && known !== undefined) throw new Error(otherKey(dataDir));
      const current = given ?? (await makeKeyFile(dataDir));
      if (known === printOf(current)) return current;
      const inDatabase = stored(LEGACY_DATABASE_KEY);
      if (known === undefined) {
        const before = inDatabase === undefined ? null : Buffer.from(inDatabase, 'hex');
        await reseal(trx, { old: before, current });
      } else if (file !== null && known === printOf(file)) {
        await reseal(trx, { old: file, current });
      } else {
        throw new Error(
          keySecret === null
            ? otherKey(dataDir)
            : 'TRUNKLINE_KEY_SECRET is not the key with which the secrets in the database are sealed. Set it as it was, or unset it where the key was a file of the data folder',
        );
      }
      const value = printOf(current);
      await trx
        .insertInto('deployment_secrets')
        .values({ name: KEY_CHECK_ROW, value, created_at: clock.now() })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
      await trx.deleteFrom('deployment_secrets').where('name', '=', LEGACY_DATABASE_KEY).execute();
      return current;
    });
    return new SealingKey(key);
  }
}

function otherKey(dataDir: string): string {
  const path = join(dataDir, SEALING_KEY_FILE);
  const has = existsSync(path) ? 'what it holds is not the key' : 'it is not there, and there is a key';
  return `${path}: ${has} with which the secrets in the database are sealed. Copy the file ${SEALING_KEY_FILE} of the data folder of the node that served this database first, or of its backup, to ${path} (mode 600); where that node has TRUNKLINE_KEY_SECRET, set the same here instead`;
}

const printOf = (key: Buffer): string =>
  createHmac('sha256', key).update('trunkline sealing key').digest('hex');

function readKeyFile(dataDir: string): Buffer | null {
  const path = join(dataDir, SEALING_KEY_FILE);
  if (!existsSync(path)) return null;
  const text = readFileSync(path, 'latin1');
  if (!HEX.test(text))
    throw new Error(`${path} is damaged: it holds 64 hexadecimal digits. Bring it back from a backup`);
  return Buffer.from(text.trim(), 'hex');
}

async function makeKeyFile(dataDir: string): Promise<Buffer> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, SEALING_KEY_FILE);
  const draft = join(dataDir, `.${SEALING_KEY_FILE}.${randomBase62(8)}`);
  await writeFile(draft, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flush: true });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft);
  }
  return readKeyFile(dataDir) as Buffer;
}

export function describeSealingKey(
  dataDir: string,
  keySecret: string | null,
): { readonly place: string; readonly problem: string | null } {
  if (keySecret !== null) return { place: 'TRUNKLINE_KEY_SECRET', problem: null };
  const path = join(dataDir, SEALING_KEY_FILE);
  if (!existsSync(path)) return { place: path, problem: 'it is not there' };
  const mode = statSync(path).mode & 0o777;
  return {
    place: path,
    problem:
      (mode & OTHERS) === 0 ? null : `others may read it (mode ${mode.toString(8)}): chmod 600 ${path}`,
  };
}
