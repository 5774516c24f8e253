/**
 * The long form builds the image that `npm run image` writes and serves from its root, without root rights and
 * read-only.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { defaultRoot, readManifest, selectModels } from '../../scripts/models/layout.mjs';
// @ts-expect-error scripts are plain JavaScript
import { staleFiles } from '../../scripts/models/stamps.mjs';
// @ts-expect-error scripts are plain JavaScript
import { buildImage } from '../../scripts/release/image.mjs';
// @ts-expect-error scripts are plain JavaScript
import { archiveLayout, ImageLayout } from '../../scripts/release/oci.mjs';
// @ts-expect-error scripts are plain JavaScript
import { bill, provenance } from '../../scripts/release/papers.mjs';
import { freePort } from '../free-port.ts';
import { long } from '../long-tests.ts';
import { until } from '../poll.ts';
import { root } from '../running-server.ts';

const USER = 10001;
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trunkline-image-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const blob = (digest: string) =>
  readFileSync(join(folder, 'layout/blobs/sha256', digest.slice('sha256:'.length)));
const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

it('is a layout whose digests are those of its blobs, with folders of the user', async () => {
  const tree = join(folder, 'tree');
  mkdirSync(join(tree, 'data'), { recursive: true });
  mkdirSync(join(tree, 'app'));
  writeFileSync(join(tree, 'app/program.mjs'), 'export {};\n');
  const layout = new ImageLayout(join(folder, 'layout'));
  await layout.addLayer(tree, { user: USER, owned: ['data'], comment: 'trial' });
  const created = '2026-01-01T00:00:00Z';
  layout.finish({ config: { User: String(USER) }, created, name: 'trunkline:1.0.0', annotations: {} });
  const { manifests } = JSON.parse(readFileSync(join(folder, 'layout/index.json'), 'utf8'));
  expect(manifests[0].annotations).toEqual({ 'org.opencontainers.image.ref.name': 'trunkline:1.0.0' });
  const manifest = JSON.parse(blob(manifests[0].digest).toString());
  const config = JSON.parse(blob(manifest.config.digest).toString());
  for (const name of readdirSync(join(folder, 'layout/blobs/sha256')))
    expect(sha256(blob(`sha256:${name}`))).toBe(`sha256:${name}`);
  const layer = blob(manifest.layers[0].digest);
  expect(manifest.layers[0].size).toBe(layer.length);
  expect(sha256(gunzipSync(layer))).toBe(config.rootfs.diff_ids[0]);
  const listed = spawnSync('tar', ['-tvz', '--numeric-owner'], { input: layer, encoding: 'utf8' }).stdout;
  expect(listed).toMatch(new RegExp(`^d\\S+ ${USER}/${USER} .* \\./data/$`, 'm'));
  expect(listed).toMatch(/^-\S+ 0\/0 .* \.\/app\/program\.mjs$/m);
  await archiveLayout(layout.folder, join(folder, 'image.oci.tar'));
  const archived = spawnSync('tar', ['-tf', join(folder, 'image.oci.tar')], { encoding: 'utf8' }).stdout;
  expect(archived).toContain('./oci-layout\n');
});

it('has a bill of materials with each part once, and a provenance of its commit', async () => {
  const debian = [{ name: 'libc6', version: '2.36-9', architecture: 'amd64', source: 'glibc' }];
  const bundled = ['libnss3.so', 'libsoftokn3.so'].map((file) => ({
    file,
    package: 'libnss3',
    version: '2:3.87',
    source: 'nss',
  }));
  const created = '2026-01-01T00:00:00Z';
  const made = bill({ project: root, version: '1.0.0', debian, bundled, models: [], created });
  const ids = made.packages.map(({ SPDXID }: { SPDXID: string }) => SPDXID);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^SPDXRef-[A-Za-z0-9.-]+$/);
  const names = made.packages.map(({ name }: { name: string }) => name);
  for (const name of ['trunkline', 'node', 'libc6', 'libnss3', 'fastify', 'better-sqlite3'])
    expect(names).toContain(name);
  expect(names).not.toContain('vitest');
  expect(made.relationships).toHaveLength(ids.length);
  const statement = await provenance({
    project: root,
    version: '1.0.0',
    subject: [],
    materials: [],
    created,
  });
  const [source] = statement.predicate.buildDefinition.resolvedDependencies;
  expect(source.digest.gitCommit).toMatch(/^[0-9a-f]{40}$/);
});

async function transcriptOfSpeech(url: string): Promise<string> {
  const post = async (path: string, init: RequestInit) =>
    await fetch(url + path, { method: 'POST', ...init });
  const { api_key: key } = (await (await post('/v1/sandbox/keys', {})).json()) as { api_key: string };
  const authorization = `Bearer ${key}`;
  const spoken = await post('/v1/audio/speech', {
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'svc-speak',
      voice: 'en1',
      input: 'Your appointment is tomorrow at nine.',
    }),
  });
  const body = new FormData();
  body.set('model', 'svc-hear');
  body.set('file', new Blob([await spoken.arrayBuffer()]), 'said.mp3');
  const heard = await post('/v1/audio/transcriptions', { headers: { authorization }, body });
  return ((await heard.json()) as { text: string }).text;
}

const hasModels = selectModels(readManifest()).every(
  (model: object) => staleFiles(defaultRoot(), model).length === 0,
);
const lacking = ['patchelf', 'apt-get', 'bwrap'].find((name) => spawnSync(name, ['--version']).error);
const noImage = lacking ?? (hasModels ? '' : 'models');
if (long && noImage !== '') console.warn(`no image is built here, for want of ${noImage}`);

describe.skipIf(!long || noImage !== '')('an image without models', () => {
  it('has less than 350 MB, and serves as no root from a root that is read-only', {
    timeout: 600_000,
  }, async () => {
    const { file, bytes } = await buildImage({ out: folder, version: '1.0.0', log: () => {} });
    expect(bytes).toBeLessThan(350e6);
    const [layout, image, data] = ['layout', 'root', 'data'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const path of [layout, image, data]) mkdirSync(path);
    const unpack = (archive: string, into: string) =>
      expect(spawnSync('tar', ['-xf', archive, '-C', into]).status).toBe(0);
    unpack(file, layout);
    const { manifests } = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'));
    const manifest = JSON.parse(blob(manifests[0].digest).toString());
    for (const { digest } of manifest.layers)
      unpack(join(layout, 'blobs/sha256', digest.slice('sha256:'.length)), image);
    const { config } = JSON.parse(blob(manifest.config.digest).toString());
    expect(config).toMatchObject({ User: `${USER}:${USER}`, StopSignal: 'SIGTERM' });
    expect(statSync(join(image, 'data')).uid).toBe(process.getuid?.() === 0 ? USER : process.getuid?.());
    chmodSync(data, 0o777);
    const port = await freePort();
    const sandbox = [
      '--ro-bind',
      image,
      '/',
      '--ro-bind',
      defaultRoot(),
      '/models',
      '--bind',
      data,
      '/data',
      '--tmpfs',
      '/tmp',
      '--proc',
      '/proc',
      '--dev',
      '/dev',
    ];
    const settings = [...config.Env, `TRUNKLINE_PORT=${port}`].flatMap((pair: string) => [
      '--setenv',
      ...pair.split(/=(.*)/, 2),
    ]);
    const identity = [
      '--unshare-user',
      '--uid',
      String(USER),
      '--gid',
      String(USER),
      '--cap-drop',
      'ALL',
      '--die-with-parent',
    ];
    const command = [...config.Entrypoint, ...config.Cmd] as string[];
    const args = [...sandbox, ...identity, '--clearenv', ...settings, '--chdir', '/data'];
    const server = spawn('bwrap', [...args, ...command], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    server.stdout.on('data', (text) => {
      said += text;
    });
    try {
      await until(() => /^ready http/m.test(said) || server.exitCode !== null);
      const health = spawnSync(process.execPath, config.Healthcheck.Test.slice(2), {
        env: { TRUNKLINE_PORT: String(port) },
      });
      expect(health.status, said).toBe(0);
      const url = `http://127.0.0.1:${port}`;
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect(await transcriptOfSpeech(url)).toMatch(/appointment is tomorrow/);
    } finally {
      server.kill('SIGKILL');
    }
    const answer = spawnSync(
      'bwrap',
      [
        ...args,
        '/usr/bin/sh',
        '-c',
        'id -u; touch /x; trunkline --version; trunkline backup /tmp/kept; trunkline doctor',
      ],
      {
        encoding: 'utf8',
      },
    );
    expect(answer.stdout).toMatch(new RegExp(`^${USER}\n1\\.0\\.0\n/tmp/kept: \\d+ files, `));
    expect(answer.stdout).toMatch(/^ok +ffmpeg: \/models\/.* decodes$/m);
    expect(answer.stderr).toContain('Read-only file system');
  });
});
