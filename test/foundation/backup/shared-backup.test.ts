// @requirement Backup: A cluster is restored from a dump of PostgreSQL and a copy of its bucket.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/foundation/platform/config/index.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { type Blobs, openBlobs, openStorage } from '../../../src/foundation/storage/index.ts';
import { openCoreServices } from '../../../src/main/main.ts';
import { outputOf } from '../../apps/cli/output-of.ts';
import { bearer } from '../access/access-service.ts';
import { type EmptyDatabase, emptyDatabase } from '../storage/databases.ts';
import { dumpPostgres, noDumps, restorePostgres } from '../storage/postgres-programs.ts';

const S3_URL = process.env.TRUNKLINE_TEST_S3_URL;
const lacking = S3_URL ? noDumps : 'TRUNKLINE_TEST_S3_URL';
if (lacking !== '') {
  if (process.env.CI === 'true')
    throw new Error(`a backup of a cluster is not tried, for want of ${lacking}`);
  console.warn(`a backup of a cluster is not tried, for want of ${lacking}`);
}

describe.skipIf(lacking !== '')('a backup of a cluster', () => {
  const prefix = `backup-${process.pid}`;
  const recording = { area: 'audio', owner: 'org_1', name: 'call.wav' };
  let folder = '';
  let database: EmptyDatabase;
  let bucket: Bucket;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trunkline-cluster-backup-'));
    database = await emptyDatabase('postgres');
    bucket = new Bucket(S3_URL as string, prefix);
  });
  afterEach(async () => {
    await bucket.empty();
    await database.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const settings = () => ({
    TRUNKLINE_DATA: join(folder, 'data'),
    TRUNKLINE_DATABASE_URL: database.options.databaseUrl as string,
    TRUNKLINE_KEY_SECRET: 'a secret that every node of the cluster has',
    TRUNKLINE_LOG_LEVEL: 'silent',
  });
  const makeKey = async () =>
    (await outputOf(['keys', 'create', '--live', '--scopes', '*', '--credit', '100'], settings())).out.trim();
  const principalOf = async (key: string) => {
    const services = await openCoreServices(loadConfig(settings()), createLog({ level: 'silent' }));
    try {
      return (await services.access.authorize(bearer(key), { kind: 'key', scope: 'speak' })).principal;
    } finally {
      await services.close();
    }
  };

  it('brings back keys and recordings, which later calls, deletions and a lost database do not change', async () => {
    const [dump, copied] = [join(folder, 'trunkline.dump'), join(folder, 'bucket')];
    const key = await makeKey();
    const before = await principalOf(key);
    const blobs = await bucket.blobs();
    await blobs.put(recording, one('what was said'), { payer: null });

    dumpPostgres(settings().TRUNKLINE_DATABASE_URL, dump);
    await bucket.copyTo(copied);

    const later = await makeKey();
    await blobs.put({ ...recording, name: 'later.wav' }, one('said later'), { payer: null });
    await blobs.deleteOwner(recording.area, recording.owner);
    await bucket.empty();
    const storage = await openStorage(database.options);
    await sql`drop schema public cascade`.execute(storage.db);
    await sql`create schema public`.execute(storage.db);
    await storage.close();

    restorePostgres(settings().TRUNKLINE_DATABASE_URL, dump);
    await bucket.fillFrom(copied);
    expect(before).toMatchObject({ environment: 'live', scopes: ['*'] });
    expect(await principalOf(key)).toEqual(before);
    await expect(principalOf(later)).rejects.toMatchObject({ code: 'invalid_api_key' });
    const restored = await bucket.blobs();
    expect(await textOf(restored, recording)).toBe('what was said');
    expect(await restored.stat({ ...recording, name: 'later.wav' })).toBeNull();
  });
});

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function textOf(blobs: Blobs, key: Parameters<Blobs['get']>[0]): Promise<string | null> {
  const body = await blobs.get(key);
  return body ? Buffer.concat(await body.stream.toArray()).toString() : null;
}

/** Copies objects one by one, as an operator's `aws s3 sync` does. */
class Bucket {
  readonly #url: URL;
  readonly #prefix: string;
  readonly #client: S3Client;

  constructor(url: string, prefix: string) {
    this.#url = new URL(url);
    this.#prefix = prefix;
    const { origin, username: accessKeyId, password: secretAccessKey } = this.#url;
    this.#client = new S3Client({
      endpoint: origin,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
    });
  }

  get #name(): string {
    return this.#url.pathname.slice(1);
  }

  blobs(): Promise<Blobs> {
    const { origin, username: accessKeyId, password: secretAccessKey } = this.#url;
    const s3 = { endpoint: origin, bucket: this.#name, accessKeyId, secretAccessKey, prefix: this.#prefix };
    return openBlobs({ s3 });
  }

  async copyTo(folder: string): Promise<void> {
    mkdirSync(folder);
    for (const Key of await this.#keys()) {
      const { Body } = await this.#client.send(new GetObjectCommand({ Bucket: this.#name, Key }));
      writeFileSync(join(folder, encodeURIComponent(Key)), await Body!.transformToByteArray());
    }
  }

  async fillFrom(folder: string): Promise<void> {
    for (const name of readdirSync(folder)) {
      const object = { Key: decodeURIComponent(name), Body: readFileSync(join(folder, name)) };
      await this.#client.send(new PutObjectCommand({ Bucket: this.#name, ...object }));
    }
  }

  async empty(): Promise<void> {
    for (const Key of await this.#keys())
      await this.#client.send(new DeleteObjectCommand({ Bucket: this.#name, Key }));
  }

  async #keys(): Promise<string[]> {
    const listed = await this.#client.send(
      new ListObjectsV2Command({ Bucket: this.#name, Prefix: this.#prefix }),
    );
    return (listed.Contents ?? []).map(({ Key }) => Key as string);
  }
}
