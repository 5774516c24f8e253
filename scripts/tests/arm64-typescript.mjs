/**
 * The TypeScript tests as Node and the engine for arm64 run them, under qemu. It takes some fifty times as long as a
 * processor of arm64 would, so that a whole run has the tests of what differs between processors or is compiled for one:
 * storage, access, the platform, texts, codecs, wire formats and flows. A filter runs others.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bindingOf, buildNative } from '../build-native.mjs';
import { ARM64, modelsForArm64 } from '../models/arm64.mjs';
import { modelVersions } from '../models/layout.mjs';
import { emulating } from '../native/arm64.mjs';
import { databaseFor } from '../release/databases.mjs';
import { nodeFolder } from '../release/nodes.mjs';
import { turnToOldNames } from '../setup/elf-versions.mjs';
import { Failure } from '../setup/failure.mjs';
import { run, tail } from '../setup/run.mjs';
import { vitestTests } from './vitest.mjs';

const WORK = 'build-arm64-node';
const ABI = '115';
const LISTENER = `node_modules/uWebSockets.js/uws_linux_arm64_${ABI}.node`;

/** Packages that hold compiled files of one processor: npm installs those of this machine's alone. */
const COMPILED = ['@node-rs/argon2', '@rolldown/binding', 'lightningcss'];

const WHOLE = [
  'test/foundation/storage/',
  'test/foundation/access/',
  'test/foundation/platform/',
  'test/language/',
  'test/media/codec/',
  'test/media/wire/',
  'test/conversation/flows/',
];

// Only the mounts' own namespace sees the files for arm64 in place of this machine's.
const MOUNTED =
  'mount --bind "$1" "$2" && mount --bind "$3" "$4" && mount --bind "$5" "$6" && shift 6 && exec "$@"';

export async function typescriptTestsForArm64(root, filter, log) {
  const work = join(root, WORK);
  mkdirSync(work, { recursive: true });
  await buildNative({ arch: 'arm64', log });
  const node = join(await nodeFolder(ABI, work, log, 'arm64'), 'bin/node');
  const database = await databaseFor(ABI, { root, work, log, arch: 'arm64' });
  const packages = await compiledPackages(root, work, log);
  const env = {
    ...modelVersions(ARM64),
    TRUNKLINE_MODELS: await modelsForArm64(root, log),
    NODE_PATH: packages,
  };
  const mounts = [
    [bindingOf('arm64'), bindingOf(process.arch)],
    [database, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'],
    [listenerFor(root, work), LISTENER],
  ].flatMap(([from, to]) => [resolve(root, from), resolve(root, to)]);
  const by = [...emulating(root), 'sh', '-c', MOUNTED, 'sh', ...mounts, node];
  const patient = ['--testTimeout=900000', '--hookTimeout=900000'];
  return await vitestTests(root, [...patient, ...(filter === '' ? WHOLE : [filter])], { by, env });
}

/** Debian 12's glibc is older than the one that the listener was linked with. */
function listenerFor(root, work) {
  const bytes = readFileSync(join(root, LISTENER));
  turnToOldNames(bytes, 'arm64');
  const path = join(work, 'listener.node');
  writeFileSync(path, bytes);
  return path;
}

async function compiledPackages(root, work, log) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const wanted = Object.entries(packages)
    .map(([path, { version }]) => [path.replace(/^.*node_modules\//, ''), version])
    .filter(([name]) => COMPILED.some((one) => name.startsWith(one)) && /linux-arm64-gnu$/.test(name))
    .map(([name, version]) => `${name}@${version}`);
  const list = join(work, 'packages.txt');
  const folder = join(work, 'node_modules');
  if (existsSync(list) && readFileSync(list, 'utf8') === wanted.join('\n')) return folder;
  log(`arm64: fetching ${wanted.join(', ')}`);
  // npm refuses packages of another processor unless it is forced.
  const how = ['--force', '--no-save', '--no-package-lock', '--ignore-scripts', '--loglevel=error'];
  const args = ['install', '--prefix', work, ...how];
  const done = await run('npm', [...args, ...wanted]);
  if (done.code !== 0) throw new Failure(`packages for arm64 cannot be fetched:\n${tail(done.stderr, 5)}`);
  writeFileSync(list, wanted.join('\n'));
  return folder;
}
