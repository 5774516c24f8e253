#!/usr/bin/env node
/**
 * Installs the CUDA build of the inference library, and NVIDIA's libraries where the system has none, as
 * models/gpu-runtime.json pins them. Usage:
 *
 *   node scripts/gpu-runtime.mjs install [--dry-run] [--from FOLDER] [--root FOLDER]
 *   node scripts/gpu-runtime.mjs uninstall [--root FOLDER]
 *
 * --dry-run  list what would be downloaded, and download nothing
 * --from     use the wheels in this folder, and download nothing (as with TRUNKLINE_MODELS_FROM)
 *
 * The libraries are in ROOT/.gpu/VERSION, and ROOT/.gpu/library names the one that a server opens. Complete wheels stay
 * until all are unpacked, so that a killed installation resumes.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultRoot, hostPlatform, packagesFolder, projectRoot } from './models/layout.mjs';
import { PackageStore } from './models/packages.mjs';
import { Failure, runMain } from './setup/failure.mjs';
import { withLock } from './setup/lock.mjs';
import { run, tail } from './setup/run.mjs';

const MEND = 'npx trunkline gpu install';
const MB = 1_000_000;
const megabytes = (bytes) => `${(bytes / MB).toFixed(0)} MB`;
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

export const readRuntime = (path = join(projectRoot, 'models/gpu-runtime.json')) =>
  JSON.parse(readFileSync(path, 'utf8'));

export function missingPackages(runtime, systemLibraries) {
  return runtime.packages.filter(({ name, members }) => {
    const libraries = members.map(({ member }) => basename(member));
    return name === 'onnxruntime-gpu' || !libraries.every((library) => systemLibraries.has(library));
  });
}

async function systemLibraries() {
  const { stdout } = await run('/sbin/ldconfig', ['-p']);
  const known = [...stdout.matchAll(/^\s+(\S+) \(.*x86-64/gm)].map(([, name]) => name);
  return new Set(known);
}

export async function install({ root, from, dryRun = false, log, runtime = readRuntime(), system }) {
  if (hostPlatform !== 'linux-x64')
    throw new Failure(`a GPU is supported only on linux-x64; this machine is ${hostPlatform}`);
  const home = join(root, '.gpu');
  const folder = join(home, runtime.version);
  const packages = missingPackages(runtime, system ?? (await systemLibraries()));
  const fetched = sum(packages.map(({ bytes }) => bytes));
  const unpacked = sum(packages.flatMap(({ members }) => members.map(({ bytes }) => bytes)));
  for (const { name, version, bytes } of packages) log(`gpu: ${name} ${version}, ${megabytes(bytes)}`);
  log(`gpu: ${megabytes(fetched)} to download, ${megabytes(unpacked)} after unpacking into ${folder}`);
  if (dryRun) return undefined;
  mkdirSync(home, { recursive: true });
  return withLock(home, log, 'gpu: another process installs; waiting for it', async () => {
    if (!isWhole(folder, packages)) {
      requireDisk(home, unpacked + (from ? 0 : fetched));
      const store = new PackageStore({
        root: home,
        from,
        log: (line) => log(line.replace(/^models:/, 'gpu:')),
      });
      const archives = [];
      for (const entry of packages) archives.push(await store.obtain({ ...entry, registry: 'pypi' }));
      await unpack(packages, archives, folder, log);
      store.discardAll();
    }
    const library = join(folder, runtime.library);
    writeFileSync(join(home, 'library.new'), `${library}\n`);
    renameSync(join(home, 'library.new'), join(home, 'library'));
    log(`gpu: installed; servers on this machine now use ${library}`);
    return library;
  });
}

export function uninstall({ root, log }) {
  const home = join(root, '.gpu');
  const was = existsSync(home);
  rmSync(home, { recursive: true, force: true });
  log(
    was
      ? `gpu: removed ${home}; servers use the CPU library after their next start`
      : 'gpu: nothing is installed',
  );
}

const isWhole = (folder, packages) =>
  packages.every(({ members }) => members.every(({ member }) => existsSync(join(folder, basename(member)))));

function requireDisk(folder, bytes) {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= bytes) return;
  throw new Failure(
    `${folder} has ${megabytes(bavail * bsize)} free, but needs ${megabytes(bytes)}`,
    `free some space, or choose another folder with TRUNKLINE_MODELS, then ${MEND}`,
  );
}

/** Unpacks into a temporary folder, which is renamed once it is complete. */
async function unpack(packages, archives, folder, log) {
  const arriving = `${folder}.arriving`;
  rmSync(arriving, { recursive: true, force: true });
  mkdirSync(arriving, { recursive: true });
  log('gpu: unpacking');
  const jobs = packages.flatMap(({ members }, at) =>
    members.map(({ member }) => ({
      out: join(arriving, basename(member)),
      parts: [{ archive: archives[at], member }],
    })),
  );
  const input = JSON.stringify(jobs);
  const result = await run('python3', [join(projectRoot, 'scripts/models/extract.py')], { input });
  if (result.code !== 0) throw new Failure(`unpacking failed: ${tail(result.stderr, 4)}`, MEND);
  rmSync(folder, { recursive: true, force: true });
  renameSync(arriving, folder);
}

if (process.argv[1] && import.meta.filename === resolve(process.argv[1])) {
  await runMain(async () => {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        from: { type: 'string' },
        root: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
      },
    });
    const root = resolve(values.root ?? defaultRoot());
    const log = (line) => console.log(line);
    if (positionals[0] === 'install')
      await install({ root, from: values.from ?? packagesFolder(), dryRun: values['dry-run'], log });
    else if (positionals[0] === 'uninstall') uninstall({ root, log });
    else throw new Failure(`expected install or uninstall, received '${positionals[0] ?? ''}'`, MEND);
  });
}
