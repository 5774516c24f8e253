#!/usr/bin/env node
/**
 * Fetches the models. Usage:
 *
 *   node scripts/fetch-models.mjs [--only ID,ID | --all] [--from FOLDER] [--root FOLDER] [--verify] [--pin ID]
 *
 * --from    use the archives in this folder, and download nothing (as with TRUNKLINE_MODELS_FROM)
 * --verify  hash every byte again, then fetch what is wrong or absent
 * --pin ID  run the recipes of a model again and write the sha256 of their outputs into models/manifest.json
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureModels, verifyModels } from './models/fetch.mjs';
import {
  defaultRoot,
  manifestPath,
  modelFolder,
  packagesFolder,
  readManifest,
  selectModels,
} from './models/layout.mjs';
import { Failure, runMain } from './setup/failure.mjs';

const OPTIONS = {
  only: { type: 'string' },
  all: { type: 'boolean', default: false },
  from: { type: 'string' },
  root: { type: 'string' },
  manifest: { type: 'string', default: manifestPath },
  verify: { type: 'boolean', default: false },
  pin: { type: 'string' },
};

function options() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    throw new Failure(error.message);
  }
}

async function main() {
  const given = options();
  const root = given.root ? resolve(given.root) : defaultRoot();
  const from = given.from ? resolve(given.from) : packagesFolder();
  const manifest = readManifest(given.manifest);
  const log = (line) => console.log(line);
  const only = (given.pin ?? given.only)?.split(',');
  const models = selectModels(manifest, { only, all: given.all });
  if (given.pin) {
    await ensureModels({ manifest, models, root, from, log, pin: true });
    writeFileSync(given.manifest, `${JSON.stringify(manifest, null, 2)}\n`);
    log(`models: pinned the recipes of ${given.pin}; run 'npx biome check --write models/manifest.json'`);
  }
  if (given.verify) {
    const bad = await verifyModels({ models, root });
    for (const path of bad) log(`models: ${path} is missing or does not match its pinned checksum`);
    if (bad.length === 0) log(`models: every file of ${models.length} models matches its pinned checksum`);
  }
  const { fetched } = await ensureModels({ manifest, models, root, from, log });
  if (fetched > 0) log(`models: ${fetched} models are ready in ${root}`);
  if (given.pin) for (const model of models) log(`models: ${model.id} is in ${modelFolder(root, model)}`);
}

await runMain(main);
