import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { install, readRuntime } from '../gpu-runtime.mjs';
import { insideModel, modelFolder, servedFiles } from '../models/layout.mjs';
import { stampOf, writeStamps } from '../models/stamps.mjs';
import { copy, copyProduct, copyTree, put } from '../release/product.mjs';
import { isRun, runtimePackages } from './packages.mjs';

const FILES = fileURLToPath(new URL('files', import.meta.url));
export const PROGRAM = 'usr/lib/trunkline';
export const MODELS = 'usr/lib/trunkline-models';
/** Stamps of models hold times, and an archive stores whole seconds only. */
const WHOLE_SECOND = new Date('2026-01-01T00:00:00Z');

export function layOutProgram(root, into, version) {
  copyProduct(root, join(into, PROGRAM));
  for (const path of runtimePackages(root)) copyPackage(root, path, join(into, PROGRAM));
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  put(join(into, PROGRAM, 'package.json'), `${JSON.stringify({ ...own, version }, null, 2)}\n`);
  copy(join(FILES, 'trunkline.mjs'), join(into, PROGRAM, 'bin/trunkline.mjs'));
  mkdirSync(join(into, 'usr/bin'), { recursive: true });
  symlinkSync('../lib/trunkline/bin/trunkline.mjs', join(into, 'usr/bin/trunkline'));
  copy(join(FILES, 'trunkline.service'), join(into, 'usr/lib/systemd/system/trunkline.service'));
  copy(join(FILES, 'trunkline.sysusers'), join(into, 'usr/lib/sysusers.d/trunkline.conf'));
  copy(join(FILES, 'trunkline.env'), join(into, 'etc/trunkline/trunkline.env'));
  chmodSync(join(into, 'etc/trunkline/trunkline.env'), 0o640);
  copy(join(root, 'docs/guides/appliance.md'), join(into, 'usr/share/doc/trunkline/appliance.md'));
  layOutPapers(root, into, 'trunkline', version);
}

export function layOutModels(root, into, { models, cache, version }) {
  layOutModelFiles(into, models, cache);
  layOutPapers(root, into, 'trunkline-models', version);
}

/** The libraries that `npx trunkline gpu install` installs, and the forms of models for a GPU, beside the models. */
export async function layOutGpu(root, into, { models, cache, version, from, log, runtime = readRuntime() }) {
  layOutModelFiles(into, models, cache);
  const home = join(into, MODELS);
  // The package serves machines that have no NVIDIA library beside the driver.
  await install({ root: home, from, log, runtime, system: new Set() });
  const libraries = join(MODELS, '.gpu', runtime.version);
  for (const name of readdirSync(join(home, '.gpu')))
    if (name !== runtime.version) rmSync(join(home, '.gpu', name), { recursive: true });
  writeFileSync(join(home, '.gpu/library'), `/${join(libraries, runtime.library)}\n`);
  layOutPapers(root, into, 'trunkline-gpu', version);
}

function layOutModelFiles(into, models, cache) {
  for (const model of models) {
    const from = modelFolder(cache, model);
    const to = modelFolder(join(into, MODELS), model);
    const stamps = {};
    for (const file of servedFiles(model)) {
      const name = insideModel(model, file);
      copy(join(from, name), join(to, name));
      chmodSync(join(to, name), statSync(join(from, name)).mode & 0o777);
      utimesSync(join(to, name), WHOLE_SECOND, WHOLE_SECOND);
      stamps[name] = stampOf(join(to, name), file.sha256);
    }
    writeStamps(to, stamps);
  }
}

function layOutPapers(root, into, name, version) {
  const folder = join(into, 'usr/share/doc', name);
  const licence = readFileSync(join(root, 'LICENSE'), 'utf8');
  put(join(folder, 'copyright'), `${licence}\n${readFileSync(join(root, 'NOTICES'), 'utf8')}`);
  const date = WHOLE_SECOND.toUTCString().replace('GMT', '+0000');
  const entry = `${name} (${version}) unstable; urgency=medium\n\n  * Built from the sources of this version.\n\n -- ${MAINTAINER}  ${date}\n`;
  put(join(folder, 'changelog.gz'), gzipSync(entry, { level: 9 }));
}

export const MAINTAINER = 'Trunkline <package@trunkline.invalid>';

/** Leaves out nested packages; those that are needed at run time are copied under their own names. */
export function copyPackage(root, path, into) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const wanted = (file) => !/(^|\/)node_modules(\/|$)/.test(file) && isRun(`${name}/${file}`);
  copyTree(join(root, path), join(into, path), wanted);
}
