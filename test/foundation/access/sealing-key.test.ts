/** The key that seals secrets is stored outside the database, made once, and never replaced silently. */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  deploymentSecret,
  describeSealingKey,
  Sealer,
  SealingKey,
} from '../../../src/foundation/access/index.ts';
import { type Storage, withinTenant } from '../../../src/foundation/storage/index.ts';
import { PURPOSES, resealAll } from '../../../src/main/sealing.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { NOON } from './access-service.ts';
import { scopeFor } from './tenant-scopes.ts';

const SETTING = 'a secret of the operator, long enough';
const SCOPE = scopeFor('org_1');

onBothDatabases('the sealing key', (databases) => {
  const folder = () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sealing-'));
    databases.after(() => rmSync(dataDir, { recursive: true, force: true }));
    return dataDir;
  };
  const open = (storage: Storage, dataDir: string, keySecret: string | null = null) =>
    SealingKey.open({ storage, clock: new ManualClock(NOON), dataDir, keySecret, reseal: resealAll });
  const secretOf = async (storage: Storage) =>
    await withinTenant(storage.db, SCOPE).selectFrom('webhook_secrets').selectAll().executeTakeFirstOrThrow();

  it('is a file that its owner alone reads, and the same at the next start', async () => {
    const [storage, dataDir] = [await databases.open(), folder()];
    const sealed = (await open(storage, dataDir)).sealer('x').seal('hello', 'here');
    const file = join(dataDir, 'sealing.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await open(storage, dataDir)).sealer('x').open(sealed, 'here')).toBe('hello');
    const { db } = storage;
    const values = (await db.selectFrom('deployment_secrets').select('value').execute()).map(
      (row) => row.value,
    );
    expect(values).not.toContain(readFileSync(file, 'latin1').trim());
    expect(describeSealingKey(dataDir, null)).toEqual({ place: file, problem: null });
    expect(describeSealingKey(dataDir, SETTING)).toEqual({ place: 'TRUNKLINE_KEY_SECRET', problem: null });
  });

  it('of another folder, or of another setting, is refused by the start', async () => {
    const storage = await databases.open();
    const first = folder();
    await open(storage, first);
    const second = folder();
    await expect(open(storage, second)).rejects.toThrow('TRUNKLINE_KEY_SECRET');
    // The node made no key of its own, and starts once the operator has done what the error says.
    const file = join(second, 'sealing.key');
    expect(existsSync(file)).toBe(false);
    const reported = `Copy the file sealing.key of the data folder of the node that served this database first`;
    await expect(open(storage, second)).rejects.toThrow(reported);
    copyFileSync(join(first, 'sealing.key'), file);
    const sealed = (await open(storage, second)).sealer('x').seal('hello', 'here');
    expect((await open(storage, first)).sealer('x').open(sealed, 'here')).toBe('hello');
    const other = await databases.open();
    await open(other, folder(), SETTING);
    await expect(open(other, folder(), `${SETTING}!`)).rejects.toThrow('Set it as it was');
    const damaged = folder();
    writeFileSync(join(damaged, 'sealing.key'), 'half a k');
    await expect(open(await databases.open(), damaged)).rejects.toThrow('is damaged');
  });

  it('takes over what lay unsealed, and what the key in the database sealed', async () => {
    const [storage, dataDir] = [await databases.open(), folder()];
    const before = Buffer.alloc(32, 9);
    const old = { name: 'sealing', value: before.toString('hex'), created_at: NOON };
    await storage.db.insertInto('deployment_secrets').values(old).execute();
    const destination = SEEDS.destinations('mark', NOON) as { id: string; url: string };
    const settings = new Sealer(before, PURPOSES.destinations).seal('{"a":1}', destination.id);
    await withinTenant(storage.db, SCOPE)
      .insertInto('destinations', { ...destination, settings } as never)
      .execute();
    const plain = { secret: 'whsec_new', previous_secret: 'whsec_old', previous_until: NOON };
    await withinTenant(storage.db, SCOPE)
      .insertInto('webhook_secrets', { ...plain, created_at: NOON })
      .execute();

    const key = await open(storage, dataDir);
    const row = await secretOf(storage);
    expect(JSON.stringify(row)).not.toContain('whsec_');
    const place = 'org_1 proj_1 live';
    const webhooks = key.sealer(PURPOSES.webhooks);
    expect(webhooks.open(row.secret, place)).toBe('whsec_new');
    expect(webhooks.open(String(row.previous_secret), place)).toBe('whsec_old');
    const stored = await withinTenant(storage.db, SCOPE)
      .selectFrom('destinations')
      .select(['settings', 'url'])
      .executeTakeFirstOrThrow();
    expect(key.sealer(PURPOSES.destinations).open(String(stored.settings), destination.id)).toBe('{"a":1}');
    expect(stored.url).not.toContain(':');
    expect(key.sealer(PURPOSES.destinations).open(stored.url, `url ${destination.id}`)).toBe(destination.url);
    const left = await storage.db.selectFrom('deployment_secrets').select('name').execute();
    expect(left.map(({ name }) => name)).not.toContain('sealing');
  });

  it('seals what the deployment keeps, and keeps it through another key', async () => {
    const [storage, dataDir, clock] = [await databases.open(), folder(), new ManualClock(NOON)];
    const plain = 'ab'.repeat(32);
    const lay = { name: 'credentials', value: plain, created_at: NOON };
    await storage.db.insertInto('deployment_secrets').values(lay).execute();
    const read = async (key: SealingKey, name: string) =>
      (await deploymentSecret(storage, clock, name, key.sealer(PURPOSES.deployment))).toString('hex');
    const file = await open(storage, dataDir);
    await storage.db
      .insertInto('deployment_secrets')
      .values({ ...lay, name: 'marks' })
      .execute();
    expect([await read(file, 'credentials'), await read(file, 'marks')]).toEqual([plain, plain]);
    const made = await read(file, 'trace');
    const values = await storage.db.selectFrom('deployment_secrets').select('value').execute();
    const text = values.map(({ value }) => value).join();
    expect([text.includes(plain), text.includes(made)]).toEqual([false, false]);
    const setting = await open(storage, dataDir, SETTING);
    expect([await read(setting, 'credentials'), await read(setting, 'trace')]).toEqual([plain, made]);
    await open(storage, dataDir, SETTING);
  });

  it('moves from the file to the setting of the operator', async () => {
    const [storage, dataDir] = [await databases.open(), folder()];
    const file = await open(storage, dataDir);
    const secret = file.sealer(PURPOSES.webhooks).seal('whsec_x', 'org_1 proj_1 live');
    await withinTenant(storage.db, SCOPE)
      .insertInto('webhook_secrets', { secret, created_at: NOON })
      .execute();
    const setting = await open(storage, dataDir, SETTING);
    const row = await secretOf(storage);
    expect(setting.sealer(PURPOSES.webhooks).open(row.secret, 'org_1 proj_1 live')).toBe('whsec_x');
    await expect(open(storage, dataDir)).rejects.toThrow('not the key');
  });
});
