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
import { long, longForm } from '../long-tests.ts';
import { until } from '../poll.ts';
import { root } from '../running-server.ts';
// @ts-expect-error it runs in an image, which has no TypeScript
import { transcriptOfSpeech } from './first-call.mjs';
import { unpackedImage } from './unpacked-image.ts';

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

const hasModels = selectModels(readManifest()).every(
  (model: object) => staleFiles(defaultRoot(), model).length === 0,
);
const lacking = ['patchelf', 'apt-get', 'bwrap'].find((name) => spawnSync(name, ['--version']).error);
const noImage = lacking ?? (hasModels ? '' : 'models');
if (long && noImage !== '') console.warn(`no image is built here, for want of ${noImage}`);

async function builtImage(options: { full: boolean }) {
  const { file, bytes } = await buildImage({ out: folder, version: '1.0.0', log: () => {}, ...options });
  const { root: image, config } = unpackedImage(file, folder);
  expect(config).toMatchObject({ User: `${USER}:${USER}`, StopSignal: 'SIGTERM' });
  expect(statSync(join(image, 'data')).uid).toBe(process.getuid?.() === 0 ? USER : process.getuid?.());
  const data = join(folder, 'data');
  mkdirSync(data);
  chmodSync(data, 0o777);
  return { root: image, data, bytes, config };
}
type Image = Awaited<ReturnType<typeof builtImage>>;

/** The words for bwrap that run a program of the image as its user, with a root that is read-only. */
function inside({ root: image, data, config }: Image, port: number, more: readonly string[]): string[] {
  const mounts = ['--ro-bind', image, '/', '--bind', data, '/data', '--tmpfs', '/tmp'];
  const identity = ['--unshare-user', '--uid', String(USER), '--gid', String(USER), '--cap-drop', 'ALL'];
  const settings = [...config.Env, `TRUNKLINE_PORT=${port}`].flatMap((pair) => [
    '--setenv',
    ...pair.split(/=(.*)/, 2),
  ]);
  const rest = ['--proc', '/proc', '--dev', '/dev', '--die-with-parent', '--clearenv'];
  return [...mounts, ...rest, ...identity, ...more, ...settings, '--chdir', '/data'];
}

describe.skipIf(!long || noImage !== '')(longForm('an image'), () => {
  it('without models has less than 350 MB, and serves as no root from a root that is read-only', {
    timeout: 600_000,
  }, async () => {
    const image = await builtImage({ full: false });
    expect(image.bytes).toBeLessThan(350e6);
    const port = await freePort();
    const args = inside(image, port, ['--ro-bind', defaultRoot(), '/models']);
    const command = [...image.config.Entrypoint, ...image.config.Cmd];
    const server = spawn('bwrap', [...args, ...command], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    server.stdout.on('data', (text) => {
      said += text;
    });
    try {
      await until(() => /^ready http/m.test(said) || server.exitCode !== null);
      const health = spawnSync(process.execPath, image.config.Healthcheck.Test.slice(2), {
        env: { TRUNKLINE_PORT: String(port) },
      });
      expect(health.status, said).toBe(0);
      expect(await transcriptOfSpeech(`http://127.0.0.1:${port}`)).toMatch(/appointment is tomorrow/);
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

  it('with models speaks and transcribes where there is no network, and no volume but that of the data', {
    timeout: 600_000,
  }, async () => {
    const image = await builtImage({ full: true });
    const port = await freePort();
    // Its network has a loopback alone, so the caller runs beside it.
    const caller = [
      '--unshare-net',
      '--ro-bind',
      join(import.meta.dirname, 'first-call.mjs'),
      '/tmp/call.mjs',
    ];
    const serve = [...image.config.Entrypoint, ...image.config.Cmd].join(' ');
    const script = `node /tmp/call.mjs ${serve} && trunkline doctor; ls -A /models`;
    const { stdout, stderr } = spawnSync(
      'bwrap',
      [...inside(image, port, caller), '/usr/bin/sh', '-c', script],
      {
        encoding: 'utf8',
      },
    );
    expect(stdout, stderr).toMatch(/^heard: .*appointment is tomorrow/m);
    expect(stdout).toMatch(/^ok +ffmpeg: \/usr\/lib\/trunkline-models\/.* decodes$/m);
    expect(stdout).not.toMatch(/^models: /m);
  });
});
