#!/usr/bin/env node
/**
 * Writes the npm packages of a release to dist/npm:
 *
 *   node scripts/release/pack.mjs [--out FOLDER] [--version VERSION] [--engine-of PLATFORM-ARCH]... [--models]
 *
 * --engine-of  an engine package that was packed on another machine and is published with this release
 * --models     the models too, each as a package of its own
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { defaultRoot, readManifest, selectModels } from '../models/layout.mjs';
import { Failure, runMain } from '../setup/failure.mjs';
import { root, setUp } from '../setup.mjs';
import { engineName, layOutEngine } from './engine-package.mjs';
import { layOutMain } from './main-package.mjs';
import { packModel, tarballName } from './model-packages.mjs';
import { integrityOf, packTarball } from './tarball.mjs';

export const WORK = join(root, 'build-release');
export const PACKED = join(root, 'dist/npm');

export async function packRelease({ out, version, others = [], models = [], log }) {
  mkdirSync(out, { recursive: true });
  mkdirSync(WORK, { recursive: true });
  const prebuilt = [];
  for (const model of models)
    prebuilt.push(await packModel(model, { root, cache: defaultRoot(), out, work: WORK, log }));
  const engine = await packed({ name: engineName(), version }, out, (into) =>
    layOutEngine(into, { root, work: WORK, version, log }),
  );
  const engines = {};
  for (const name of [engineName(), ...others])
    engines[name] = await lockedEngine(join(out, tarballName({ name, version })), name, version);
  const main = await packed({ name: 'trunkline', version }, out, (into) =>
    layOutMain(into, { root, version, engines, prebuilt }),
  );
  return [main, engine, ...prebuilt.map((entry) => join(out, tarballName(entry)))];
}

async function lockedEngine(file, name, version) {
  if (!existsSync(file)) throw new Failure(`${name} ${version} is not packed: ${file} is missing`);
  const [, os, cpu] = /engine-([^-]+)-([^-]+)-/.exec(name);
  const integrity = await integrityOf(file);
  return { version, integrity, optional: true, license: 'Apache-2.0', os: [os], cpu: [cpu], libc: ['glibc'] };
}

async function packed(described, out, layOut) {
  const tree = join(WORK, described.name.replace('/', '-'));
  rmSync(tree, { recursive: true, force: true });
  await layOut(join(tree, 'package'));
  const file = await packTarball(tree, join(out, tarballName(described)));
  rmSync(tree, { recursive: true, force: true });
  return file;
}

export const ownVersion = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

function removeOthers(out, files) {
  const wanted = new Set(files);
  for (const name of existsSync(out) ? readdirSync(out) : [])
    if (name.endsWith('.tgz') && !wanted.has(join(out, name))) rmSync(join(out, name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runMain(async () => {
    const { values } = parseArgs({
      options: {
        out: { type: 'string', default: PACKED },
        version: { type: 'string', default: ownVersion() },
        'engine-of': { type: 'string', multiple: true, default: [] },
        models: { type: 'boolean', default: false },
      },
    });
    const out = resolve(values.out);
    if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(values.version))
      throw new Failure(`--version ${values.version}: expected a version such as 1.2.3 or 1.2.3-rc.1`);
    const others = values['engine-of'].map((of) => {
      if (!/^linux-(x64|arm64)$/.test(of))
        throw new Failure(`--engine-of ${of}: expected linux-x64 or linux-arm64`);
      return `@trunkline/engine-${of}-gnu`;
    });
    await setUp({ models: values.models });
    const models = values.models ? selectModels(readManifest()) : [];
    const log = (line) => console.log(line);
    const files = await packRelease({ out, version: values.version, others, models, log });
    removeOthers(out, [
      ...files,
      ...others.map((name) => join(out, tarballName({ name, version: values.version }))),
    ]);
    for (const file of files) console.log(file);
  });
}
