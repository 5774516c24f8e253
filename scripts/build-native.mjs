#!/usr/bin/env node
/**
 * Builds the native addon: everything that needs lib/binding/trunkline.node runs this first.
 *
 *   node scripts/build-native.mjs [--arch arm64] [--out FOLDER] [--force] [--compile] [--quiet]
 *
 * When nothing has changed it takes some milliseconds. With npm_config_trunkline_binary_host_mirror set it tries the
 * prebuilt addon first (node-pre-gyp), then builds; --compile goes straight to the build, as binding.gyp does.
 * --arch arm64 builds for that processor on another one, with Debian's cross compiler, to lib/binding-arm64.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ARM64_FOLDER } from './native/arm64.mjs';
import { BUILD_FOLDER, compile, compileArm64 } from './native/compile.mjs';
import { fingerprint } from './native/fingerprint.mjs';
import { prebuiltHost, preGyp } from './native/prebuilt.mjs';
import { Failure, runMain } from './setup/failure.mjs';
import { withLock } from './setup/lock.mjs';
import { tail } from './setup/run.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

export const bindingOf = (arch) => (arch === process.arch ? 'lib/binding' : `lib/binding-${arch}`);

export async function buildNative({
  arch = process.arch,
  out = bindingOf(arch),
  force = false,
  compileOnly = false,
  log,
} = {}) {
  const own = arch === process.arch;
  if (!own && arch !== 'arm64') throw new Failure(`--arch ${arch}: expected arm64`);
  const folder = resolve(root, out);
  const stamp = join(folder, 'trunkline.stamp');
  const wanted = fingerprint(root, arch);
  const current = () =>
    !force &&
    existsSync(join(folder, 'trunkline.node')) &&
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === wanted;
  if (current()) return 'current';
  if (own && !compileOnly && prebuiltHost() && (await installPrebuilt(stamp, wanted, log)))
    return 'installed';
  return withLock(
    join(root, own ? BUILD_FOLDER : ARM64_FOLDER),
    log,
    'native: another process is building; waiting for it',
    async () => {
      if (current()) return 'current'; // whoever held the lock has built it
      log('native: building the engine (about two minutes the first time)');
      await (own ? compile : compileArm64)(root, folder, log);
      writeFileSync(stamp, wanted);
      log('native: built');
      return 'built';
    },
  );
}

/** Returns false when the package was built from other sources, because its records may have another layout. */
async function installPrebuilt(stamp, wanted, log) {
  rmSync(stamp, { force: true });
  log(`native: asking ${prebuiltHost()} for a prebuilt engine`);
  const result = await preGyp(root, 'install', '--fallback-to-build', '--update-binary');
  if (result.code !== 0) throw new Failure(`no engine:\n\n${tail(result.stdout + result.stderr, 30)}`);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return true;
  log('native: the prebuilt engine is made of other sources than these; building');
  return false;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      arch: { type: 'string' },
      out: { type: 'string' },
      force: { type: 'boolean' },
      compile: { type: 'boolean' },
      quiet: { type: 'boolean' },
    },
  });
  const log = values.quiet ? () => {} : (line) => console.log(line);
  await runMain(async () => {
    await buildNative({
      arch: values.arch,
      out: values.out,
      force: values.force,
      compileOnly: values.compile,
      log,
    });
  });
}
