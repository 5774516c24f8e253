#!/usr/bin/env node
/**
 * Builds Debian packages of this checkout, for machines of the same distribution and version of Node:
 *
 *   node scripts/debian-package.mjs [--out FOLDER] [--version VERSION] [--models] [--gpu]
 *
 * --models  the models too, as a package of their own: for appliances without a network
 * --gpu     the libraries and the forms of models for an NVIDIA GPU too, as a package of their own
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildGpu, buildModels, buildProgram } from './debian/build.mjs';
import { ensureGpuForms } from './models/fetch.mjs';
import { defaultRoot, packagesFolder, readManifest, selectModels } from './models/layout.mjs';
import { Failure, runMain } from './setup/failure.mjs';
import { root, setUp } from './setup.mjs';

const OPTIONS = {
  out: { type: 'string', default: 'build-debian' },
  version: { type: 'string' },
  models: { type: 'boolean', default: false },
  gpu: { type: 'boolean', default: false },
};

function options() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    throw new Failure(error.message);
  }
}

await runMain(async () => {
  const given = options();
  const out = resolve(given.out); // Set-up changes the working directory.
  await setUp({ models: given.models });
  const version = given.version ?? JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
  console.log(await buildProgram(root, out, version));
  const cache = defaultRoot();
  if (given.models)
    console.log(await buildModels(root, out, version, { models: selectModels(readManifest()), cache }));
  if (!given.gpu) return;
  const log = (line) => console.log(line);
  const models = await ensureGpuForms({ root: cache, log });
  console.log(await buildGpu(root, out, version, { models, cache, from: packagesFolder(), log }));
});
