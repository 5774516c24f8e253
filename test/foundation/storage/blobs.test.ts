import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Blobs, BlobTooLargeError, openBlobs } from '../../../src/foundation/storage/index.ts';

const S3_URL = process.env.TRUNKLINE_TEST_S3_URL;
const free = { payer: null };
const key = { area: 'jobs', owner: 'job_1', name: 'audio.wav' };

async function* chunks(total: number, size = 65_536): AsyncGenerator<Uint8Array> {
  const block = Buffer.alloc(size, 7);
  for (let left = total; left > 0; left -= size) yield block.subarray(0, Math.min(left, size));
}

const bytesOf = async (blobs: Blobs, of = key, range?: { first: number; last?: number }) => {
  const body = await blobs.get(of, range);
  return body ? Buffer.concat(await body.stream.toArray()) : null;
};

async function* failing(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(1000);
  throw new Error('the sender went away');
}

function suite(open: () => Promise<Blobs>): void {
  let blobs: Blobs;
  beforeEach(async () => {
    blobs = await open();
  });
  afterEach(async () => {
    await blobs.deleteOwner('jobs', 'job_1');
    await blobs.deleteOwner('jobs', 'job_2');
    await blobs.close();
  });

  it('gives back what was put, whole and by range, with its size and hash', async () => {
    const content = randomBytes(300_000);
    const put = await blobs.put(
      key,
      [content.subarray(0, 100_000), content.subarray(100_000)] as never,
      free,
    );
    expect(put).toEqual({ bytes: 300_000, sha256: createHash('sha256').update(content).digest('hex') });
    expect(await bytesOf(blobs)).toEqual(content);
    expect(await bytesOf(blobs, key, { first: 10, last: 19 })).toEqual(content.subarray(10, 20));
    expect(await bytesOf(blobs, key, { first: 299_990 })).toEqual(content.subarray(299_990));
    const part = await blobs.get(key, { first: 0, last: 0 });
    part?.stream.destroy();
    expect(part?.bytes).toBe(300_000);
    expect((await blobs.stat(key))?.bytes).toBe(300_000);
  });

  it('keeps an empty blob, and replaces one', async () => {
    await blobs.put(key, chunks(0), free);
    expect(await bytesOf(blobs)).toEqual(Buffer.alloc(0));
    await blobs.put(key, [Buffer.from('second')] as never, free);
    expect((await bytesOf(blobs))?.toString()).toBe('second');
  });

  it('streams 40 MB in parts under constant memory', async () => {
    const total = 40 * 1024 * 1024;
    expect((await blobs.put(key, chunks(total), free)).bytes).toBe(total);
    let read = 0;
    for await (const chunk of (await blobs.get(key))!.stream) read += (chunk as Buffer).length;
    expect(read).toBe(total);
  });

  it('answers null for what is not there', async () => {
    expect(await blobs.get(key)).toBeNull();
    expect(await blobs.stat(key)).toBeNull();
    expect(await blobs.list('jobs', 'job_1')).toEqual([]);
    await blobs.delete(key);
    await blobs.deleteOwner('jobs', 'job_1');
  });

  it('stores nothing when the source fails, is too large or is given up', async () => {
    await expect(blobs.put(key, failing(), free)).rejects.toThrow('went away');
    await expect(blobs.put(key, chunks(200_000), { ...free, maxBytes: 199_999 })).rejects.toThrow(
      BlobTooLargeError,
    );
    const abort = new AbortController();
    async function* abandoned(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(10);
      abort.abort(new Error('given up'));
      yield Buffer.alloc(10);
    }
    await expect(blobs.put(key, abandoned(), { ...free, signal: abort.signal })).rejects.toThrow('given up');
    expect(await blobs.stat(key)).toBeNull();
    await blobs.put(key, chunks(200_000), { ...free, maxBytes: 200_000 });
  });

  it('lists and deletes by owner', async () => {
    for (const name of ['b', 'a']) await blobs.put({ ...key, name }, chunks(3), free);
    await blobs.put({ ...key, owner: 'job_2' }, chunks(3), free);
    expect((await blobs.list('jobs', 'job_1')).map(({ name, bytes }) => [name, bytes])).toEqual([
      ['a', 3],
      ['b', 3],
    ]);
    await blobs.delete({ ...key, name: 'a' });
    expect((await blobs.list('jobs', 'job_1')).length).toBe(1);
    await blobs.deleteOwner('jobs', 'job_1');
    const owners: string[] = [];
    for await (const owner of blobs.owners('jobs')) owners.push(owner);
    expect(owners).toEqual(['job_2']);
  });

  it('refuses every key that could reach outside its place', async () => {
    const bad = ['', '.', '..', '../x', 'a/b', 'a\\b', '.hidden', 'a\0', 'ä', 'x'.repeat(101), '%2e%2e'];
    for (const text of bad) {
      await expect(blobs.stat({ ...key, name: text }), text).rejects.toThrow(RangeError);
      await expect(blobs.put({ ...key, owner: text }, chunks(1), free), text).rejects.toThrow(RangeError);
      await expect(blobs.deleteOwner(text, 'x'), text).rejects.toThrow(RangeError);
    }
  });

  it('says that it is ready', async () => {
    expect(await blobs.part()).toMatchObject({ ready: true });
  });
}

describe('blobs (folder)', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trunkline-blobs-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  suite(() => openBlobs({ folder }));

  it('leaves no file behind a failed put, and sweeps what a crash left', async () => {
    const blobs = await openBlobs({ folder });
    await blobs.put(key, failing(), free).catch(() => {});
    expect(await readdir(join(folder, '.unfinished'))).toEqual([]);
    for (const name of ['left', 'running']) await writeFile(join(folder, '.unfinished', name), 'x');
    await utimes(join(folder, '.unfinished', 'left'), 1, 1);
    await openBlobs({ folder });
    expect(await readdir(join(folder, '.unfinished'))).toEqual(['running']);
  });

  it('is not ready when the folder is gone', async () => {
    const blobs = await openBlobs({ folder });
    await rm(folder, { recursive: true });
    expect(await blobs.part()).toMatchObject({ ready: false, detail: expect.stringContaining(folder) });
  });
});

if (S3_URL) {
  describe('blobs (S3)', () => {
    const { username, password, origin, pathname } = new URL(S3_URL);
    suite(() =>
      openBlobs({
        s3: {
          endpoint: origin,
          bucket: pathname.slice(1),
          accessKeyId: username,
          secretAccessKey: password,
          prefix: 'p',
        },
      }),
    );
  });
} else if (process.env.CI === 'true') {
  it('blobs (S3)', () => {
    throw new Error(
      'TRUNKLINE_TEST_S3_URL is not set: CI must run the blob tests on an S3-compatible server.',
    );
  });
} else {
  describe.skip('blobs (S3): skipped, TRUNKLINE_TEST_S3_URL is not set', () => {
    it('runs under scripts/with-services.mjs', () => {});
  });
}
