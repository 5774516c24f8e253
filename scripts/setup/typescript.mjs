/** dist/ from src/, compiled beside the old one and swapped in whole: a killed build leaves what was there. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './failure.mjs';
import { joinPackages } from './joined-packages.mjs';
import { withLock } from './lock.mjs';
import { run, tail } from './run.mjs';

const STAMP = 'dist/.sources';

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
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = [
    tsc,
    '-p',
    'tsconfig.json',
    '--outDir',
    arriving,
    '--incremental',
    'false',
    '--tsBuildInfoFile',
    'null',
  ];
  const result = await run(process.execPath, args, { cwd: root });
  if (result.code !== 0) {
    rmSync(arriving, { recursive: true, force: true });
    throw new Failure(`the TypeScript sources do not compile:\n${tail(result.stdout + result.stderr, 30)}`);
  }
  // Only quicker: where it fails, Node finds the packages where they were installed.
  await joinPackages(root, arriving).catch((error) => {
    rmSync(join(arriving, 'node_modules'), { recursive: true, force: true });
    log(`typescript: packages stay in their many files: ${error.message}`);
  });
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  renameSync(arriving, join(root, 'dist'));
  writeFileSync(join(root, STAMP), wanted);
}

/** Names, sizes and times of the sources: cheap to look at on every start. */
function fingerprint(root) {
  const hash = createHash('sha256');
  for (const file of ['tsconfig.json', 'package-lock.json', 'scripts/setup/joined-packages.mjs'])
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
