/** dist/ from src/, compiled beside the old one and swapped in whole: a killed build leaves what was there. */
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
/** Folders of dist/ that hold what was packed, and that a new compilation keeps. */
const RELEASES = ['npm', 'image'];

export function typescriptIsCurrent(root) {
  const stamp = join(root, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint(root);
}

export async function compileTypeScript(root, log) {
  const waiting = 'typescript: another process is compiling; waiting for it';
  await withLock(join(root, 'node_modules/.typescript'), log, waiting, async () => {
    // Whoever held the lock may have compiled it.
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

/** Packages are joined anew only where the lockfile or the joining has changed. */
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
    // Joined packages are only quicker: without them, Node finds the packages where they were installed.
    rmSync(join(arriving, 'node_modules'), { recursive: true, force: true });
    log(`typescript: packages stay in their many files: ${error.message}`);
  }
}

/** Names, sizes and times of the sources: cheap to look at on every start. */
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
