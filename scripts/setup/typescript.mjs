/** Compiles src/ into a new folder that replaces dist/ as a whole, so that a killed build changes nothing. */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { joinPackages } from './joined-packages.mjs';
import { withLock } from './lock.mjs';
import { stripTypes } from './strip-types.mjs';

const STAMP = 'dist/.sources';
/** These folders of dist/ hold packed releases, which a new compilation keeps. */
const RELEASES = ['npm', 'image'];

export function typescriptIsCurrent(root) {
  const stamp = join(root, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint(root);
}

export async function compileTypeScript(root, log) {
  const waiting = 'typescript: another process is compiling; waiting for it';
  await withLock(join(root, 'node_modules/.typescript'), log, waiting, async () => {
    // Another process that held the lock may have compiled it.
    if (!typescriptIsCurrent(root)) await compile(root, log);
  });
}

async function compile(root, log) {
  log('typescript: compiling');
  const wanted = fingerprint(root);
  const arriving = join(root, 'dist.arriving');
  rmSync(arriving, { recursive: true, force: true });
  await stripTypes(join(root, 'src'), arriving).catch((error) => {
    rmSync(arriving, { recursive: true, force: true });
    throw error;
  });
  await keepOrJoin(root, arriving, log);
  for (const name of RELEASES) {
    const there = join(root, 'dist', name);
    if (existsSync(there)) renameSync(there, join(arriving, name));
  }
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  renameSync(arriving, join(root, 'dist'));
  writeFileSync(join(root, STAMP), wanted);
}

async function keepOrJoin(root, arriving, log) {
  const wanted =
    described(join(root, 'package-lock.json')) + described(join(root, 'scripts/setup/joined-packages.mjs'));
  const modules = join(root, 'dist/node_modules');
  const mark = join(modules, '.joined-of');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) {
    cpSync(modules, join(arriving, 'node_modules'), { recursive: true });
    return;
  }
  try {
    await joinPackages(root, arriving);
    writeFileSync(join(arriving, 'node_modules/.joined-of'), wanted);
  } catch (error) {
    // Bundled packages only start faster: without them, Node uses the installed packages.
    rmSync(join(arriving, 'node_modules'), { recursive: true, force: true });
    log(`typescript: the packages could not be bundled: ${error.message}`);
  }
}

function fingerprint(root) {
  const hash = createHash('sha256');
  for (const file of [
    'package-lock.json',
    'scripts/setup/joined-packages.mjs',
    'scripts/setup/strip-types.mjs',
  ])
    hash.update(described(join(root, file)));
  for (const entry of readdirSync(join(root, 'src'), { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) hash.update(described(join(entry.parentPath ?? entry.path, entry.name)));
  }
  return hash.digest('hex');
}

function described(path) {
  const { size, mtimeMs } = statSync(path);
  return `${path} ${size} ${mtimeMs}\n`;
}
