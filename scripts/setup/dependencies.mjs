/**
 * Installs node_modules from package-lock.json. The record that npm writes after a successful install shows whether
 * it is current.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from './failure.mjs';
import { fitListener, listenerFits } from './listener-binary.mjs';
import { withLock } from './lock.mjs';
import { run, tail } from './run.mjs';
import { nodeHeaders, requireTools } from './tools.mjs';

const BINARY = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';
const ABI = 'node_modules/better-sqlite3/build/.node-abi';
/** npx looks here first; without it, npx installs this project into its own cache each time, which takes seconds. */
const COMMAND = 'node_modules/.bin/trunkline';
/** SQLite is about as fast with -O2 as with its own -O3, and compiles in two thirds of the time. The last option wins. */
const SQLITE_CFLAGS = '-O2';
const AFRESH = 'rm -rf node_modules && npm start';

export const packagesAreCurrent = (root) =>
  sameAsLock(root) && listenerFits(root) && existsSync(join(root, COMMAND));

/** The binary belongs to the running major version of Node; another version needs another binary. */
export function databaseIsCompiled(root) {
  if (!existsSync(join(root, BINARY))) return false;
  const stamp = join(root, ABI);
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') === process.versions.modules;
}

function sameAsLock(root) {
  const installed = packagesOf(join(root, 'node_modules/.package-lock.json'));
  if (!installed) return false;
  const wanted = packagesOf(join(root, 'package-lock.json')) ?? {};
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.link) return true;
    const there = installed[path];
    if (!there) return entry.optional === true || entry.devOptional === true;
    return there.version === entry.version && existsSync(join(root, path, 'package.json'));
  });
}

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined; // It is absent, or a killed install truncated it.
  }
}

/**
 * Two steps ensure that only the package that must compile runs code of its own during the installation. `install`
 * replaces `ci`: it takes the same versions and checks the same integrity, but accepts a registry that lacks the
 * binaries of other platforms (and so a lockfile without them).
 */
export function installPackages(root, log) {
  const waiting = 'dependencies: another process is installing; waiting for it';
  return withLock(join(root, 'node_modules'), log, waiting, async () => {
    if (!sameAsLock(root)) {
      log('dependencies: installing the packages of package-lock.json');
      const wish = ['--no-save', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund'];
      await npm(root, ['install', ...wish]);
    }
    await fitListener(root, undefined, log);
    linkCommand(join(root, COMMAND));
  });
}

export function compileDatabase(root, log) {
  const waiting = 'database: another process is compiling; waiting for it';
  return withLock(join(root, 'node_modules/.database'), log, waiting, async () => {
    if (databaseIsCompiled(root)) return;
    await requireTools(['python3', 'a C++ compiler', 'make']);
    log('database: compiling better-sqlite3 (about a minute)');
    await npm(root, ['rebuild', 'better-sqlite3', '--foreground-scripts', '--ignore-scripts=false']);
    if (!existsSync(join(root, BINARY))) throw new Failure('the build of better-sqlite3 failed', AFRESH);
    writeFileSync(join(root, ABI), process.versions.modules);
  });
}

function linkCommand(path) {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  symlinkSync('../../scripts/trunkline.mjs', path);
}

async function npm(root, args) {
  const headers = nodeHeaders();
  // JOBS makes node-gyp compile on every core.
  const given = headers ? { npm_config_nodedir: headers, npm_config_build_from_source: 'true' } : {};
  const env = { JOBS: 'max', CFLAGS: SQLITE_CFLAGS, ...given };
  const result = await run('npm', args, { cwd: root, env });
  if (result.missing) throw new Failure('npm is missing; it comes with Node', 'apt-get install -y npm');
  if (result.code === 0) return;
  const said = `${result.stdout}\n${result.stderr}`
    .split('\n')
    .filter((line) => !line.startsWith('npm warn'));
  throw new Failure(`npm ${args[0]} failed:\n${tail(said.join('\n'), 30)}`, AFRESH);
}
