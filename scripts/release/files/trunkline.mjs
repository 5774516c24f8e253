#!/usr/bin/env node
/** The command of the npm package: a first `serve` fetches the models; everything else is in the packages. */
import { readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { Failure, runMain } from '../scripts/setup/failure.mjs';
import { screen } from '../scripts/setup/progress.mjs';
import { endOnSignals, endWithNpm } from '../scripts/setup/signals.mjs';
import { checkNode } from '../scripts/setup/tools.mjs';

modules.enableCompileCache?.();
const forget = endOnSignals();
endWithNpm();
await runMain(async () => {
  if (['--version', '-V'].includes(process.argv[2])) return printVersion();
  checkNode();
  checkEngine();
  if (process.argv[2] === 'serve') await fetchModels();
  const { main } = await import('../dist/apps/cli/index.js');
  forget();
  return main(process.argv.slice(2));
});

function printVersion() {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  console.log(version);
  return 0;
}

/** npm silently skips an optional package that does not fit the machine, and only warns of another Node. */
function checkEngine() {
  const name = `@trunkline/engine-${process.platform}-${process.arch}-gnu`;
  if (!isInstalled(`${name}/package.json`))
    throw new Failure(
      `there is no engine for this machine: ${name} is not installed (it is built for Linux with glibc on x86-64 and arm64)`,
      'npm install trunkline   # without --omit=optional',
    );
  if (!isInstalled(`${name}/better_sqlite3_${process.versions.modules}.node`))
    throw new Failure(
      `${name} is compiled for Node 20, 22 and 24; this is Node ${process.versions.node}`,
      'install Node 24: https://nodejs.org/en/download',
    );
}

function isInstalled(file) {
  try {
    return modules.createRequire(import.meta.url).resolve(file) !== '';
  } catch {
    return false;
  }
}

async function fetchModels() {
  const { ensureModels } = await import('../scripts/models/fetch.mjs');
  const { defaultRoot, packagesFolder, readManifest, selectModels } = await import(
    '../scripts/models/layout.mjs'
  );
  const manifest = readManifest();
  await ensureModels({
    manifest,
    models: selectModels(manifest),
    root: defaultRoot(),
    from: packagesFolder(),
    log: screen(),
  });
}
