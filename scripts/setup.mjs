#!/usr/bin/env node
/**
 * Installs everything that a fresh checkout lacks: dependencies, the native engine, compiled TypeScript, models. Each
 * step first checks whether it has anything to do, so that a second run costs milliseconds. It uses Node's own
 * modules only.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  compileDatabase,
  databaseIsCompiled,
  installPackages,
  packagesAreCurrent,
} from './setup/dependencies.mjs';
import { runMain } from './setup/failure.mjs';
import { screen } from './setup/progress.mjs';
import { checkNode, requireTools } from './setup/tools.mjs';
import { compileTypeScript, typescriptIsCurrent } from './setup/typescript.mjs';

export const root = resolve(fileURLToPath(new URL('..', import.meta.url)));
/**
 * A part that is `false` is skipped. Steps that need only the packages run in parallel: the engine's build uses all
 * cores, and the database's single file, the types and the models' downloads add little to it.
 */
export async function setUp({ native = true, typescript = true, models = true, log = screen() } = {}) {
  checkNode();
  process.chdir(root);
  await timed('dependencies', log, () => packages(log));
  const steps = [
    ['database', true, () => database(log)],
    ['typescript', typescript, () => compile(log)],
    ['console', typescript, () => pages(log)],
    ['native', native, () => buildEngine(log)],
    ['models', models, () => fetchModels(log)],
  ];
  const wanted = steps.filter(([, isWanted]) => isWanted);
  await together(
    wanted.map(([name, , step]) => [name, () => timed(name, log, step)]),
    log,
  );
}

/** Every step ends before the first failure is thrown; each failure is reported when it happens. */
async function together(steps, log) {
  const failures = [];
  const carryOut = async ([name, step]) => {
    try {
      await step();
    } catch (error) {
      failures.push(error);
      log(`${name}: failed; waiting until the other steps end`);
    }
  };
  await Promise.all(steps.map(carryOut));
  if (failures.length > 0) throw failures[0];
}

async function packages(log) {
  if (packagesAreCurrent(root)) return false;
  await requireTools(['python3', 'pip', 'cmake', 'a C++ compiler', 'make']); // name all that is missing before the first long step
  await installPackages(root, log);
  return true;
}

async function database(log) {
  if (databaseIsCompiled(root)) return false;
  await compileDatabase(root, log);
  return true;
}

async function buildEngine(log) {
  const { buildNative } = await import('./build-native.mjs');
  return (await buildNative({ log })) !== 'current';
}

async function compile(log) {
  if (typescriptIsCurrent(root)) return false;
  await compileTypeScript(root, log);
  return true;
}

/** The console is optional: without it the server reports how to build it, and serves. */
async function pages(log) {
  const { buildConsole, consoleIsCurrent } = await import('./console.mjs');
  if (consoleIsCurrent(root)) return false;
  try {
    await buildConsole(log, root);
    return true;
  } catch (error) {
    log(`console: not built; the server runs without it: ${error.message}`);
    return false;
  }
}

async function fetchModels(log) {
  const { ensureModels } = await import('./models/fetch.mjs');
  const { defaultRoot, gpuModels, packagesFolder, readManifest, selectModels } = await import(
    './models/layout.mjs'
  );
  const manifest = readManifest();
  const done = await ensureModels({
    manifest,
    models: [...selectModels(manifest), ...gpuModels(manifest, defaultRoot())],
    root: defaultRoot(),
    from: packagesFolder(),
    log,
  });
  return done.fetched > 0;
}

async function timed(name, log, step) {
  const began = performance.now();
  if (await step()) log(`${name}: done in ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(() => setUp());
