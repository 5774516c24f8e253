#!/usr/bin/env node
/**
 * Writes the npm packages of a release to dist/npm:
 *
 *   node scripts/release/pack.mjs [--out FOLDER] [--version VERSION] [--arch arm64] [--engine-of PLATFORM-ARCH]... [--models]
 *
 * --arch       the engine for this processor too, which Debian's cross compiler builds
 * --engine-of  an engine package that was packed on another machine and is published with this release
 * --models     the models too, each as a package of its own
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildNative } from '../build-native.mjs';
import { modelsForArm64 } from '../models/arm64.mjs';
import { defaultRoot, isOfAnyPlatform, readManifest, selectModels } from '../models/layout.mjs';
import { Failure, runMain } from '../setup/failure.mjs';
import { root, setUp } from '../setup.mjs';
import { engineName, layOutEngine } from './engine-package.mjs';
import { layOutMain } from './main-package.mjs';
import { packModel, tarballName } from './model-packages.mjs';
import { integrityOf, packTarball } from './tarball.mjs';

export const WORK = join(root, 'build-release');
export const PACKED = join(root, 'dist/npm');

/** `archs`: processors whose engines are built here; `others`: names of engine packages that were packed elsewhere. */
export async function packRelease({ out, version, archs = [process.arch], others = [], models = [], log }) {
  mkdirSync(out, { recursive: true });
  mkdirSync(WORK, { recursive: true });
  const built = [];
  for (const arch of archs) {
    await buildNative({ arch, log });
    const layOut = (into) => layOutEngine(into, { root, work: WORK, version, log, arch });
    built.push(await packed({ name: engineName(arch), version }, out, layOut));
  }
  const prebuilt = await packModels(models, { out, archs, log });
  const engines = {};
  for (const name of [...archs.map(engineName), ...others])
    engines[name] = await lockedEngine(join(out, tarballName({ name, version })), name, version);
  const main = await packed({ name: 'trunkline', version }, out, (into) =>
    layOutMain(into, { root, version, engines, prebuilt }),
  );
  return [main, ...built, ...prebuilt.map((entry) => join(out, tarballName(entry)))];
}

async function packModels(models, { out, archs, log }) {
  const packages = [];
  for (const arch of archs) {
    const cache = arch === process.arch ? defaultRoot() : await modelsForArm64(root, log);
    const options = { root, cache, out, work: WORK, log, platform: `${process.platform}-${arch}` };
    const wanted = models.filter((model) => arch === archs[0] || !isOfAnyPlatform(model));
    for (const model of wanted) packages.push(await packModel(model, options));
  }
  return packages;
}

async function lockedEngine(file, name, version) {
  if (!existsSync(file)) throw new Failure(`${name} ${version} is not packed: ${file} is missing`);
  const [, os, cpu] = /engine-([^-]+)-([^-]+)-/.exec(name);
  const integrity = await integrityOf(file);
  return { version, integrity, optional: true, license: 'Apache-2.0', os: [os], cpu: [cpu], libc: ['glibc'] };
}

async function packed(described, out, layOut) {
  const tree = mkdtempSync(join(WORK, 'package-'));
  try {
    await layOut(join(tree, 'package'));
    return await packTarball(tree, join(out, tarballName(described)));
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
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
        arch: { type: 'string', multiple: true, default: [] },
        'engine-of': { type: 'string', multiple: true, default: [] },
        models: { type: 'boolean', default: false },
      },
    });
    const out = resolve(values.out);
    if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(values.version))
      throw new Failure(`--version ${values.version}: expected a version such as 1.2.3 or 1.2.3-rc.1`);
    const archs = [...new Set([process.arch, ...values.arch])];
    const others = values['engine-of'].map((of) => {
      if (!/^linux-(x64|arm64)$/.test(of))
        throw new Failure(`--engine-of ${of}: expected linux-x64 or linux-arm64`);
      return `@trunkline/engine-${of}-gnu`;
    });
    await setUp({ models: values.models });
    const models = values.models ? selectModels(readManifest()) : [];
    const log = (line) => console.log(line);
    const files = await packRelease({ out, version: values.version, archs, others, models, log });
    removeOthers(out, [
      ...files,
      ...others.map((name) => join(out, tarballName({ name, version: values.version }))),
    ]);
    for (const file of files) console.log(file);
  });
}
