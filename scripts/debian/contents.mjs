/** The files of a package, laid out as they will lie on the appliance. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { insideModel, modelFolder, servedFiles } from '../models/layout.mjs';
import { stampOf, writeStamps } from '../models/stamps.mjs';
import { isRun, runtimePackages } from './packages.mjs';

const FILES = fileURLToPath(new URL('files', import.meta.url));
export const PROGRAM = 'usr/lib/trunkline';
export const MODELS = 'usr/lib/trunkline-models';
/** What the program reads of the project, beside its packages. */
const PRODUCT = [
  'dist',
  'dist-console',
  'lib/binding',
  'models',
  'scripts/fetch-models.mjs',
  'scripts/models',
  'scripts/setup',
  'src/telephony/carriers/loopback/network.yaml',
  'src/telephony/compliance/registry/countries',
  'src/products/trace/packs/builtin',
  'src/apps/widget',
  'LICENSE',
  'NOTICES',
];
const NOT_READ = /(^|\/)(\.[^/]*|[^/]*\.(map|stamp))$/;
const PROGRAMS = /(^|\/)(trunkline(-sip|-phonemes)?(\.mjs)?|ffmpeg|postinst|prerm|postrm)$/;
/** Stamps of models hold times, and an archive keeps whole seconds. */
const WHOLE_SECOND = new Date('2026-01-01T00:00:00Z');

export function layOutProgram(root, into, version) {
  for (const path of PRODUCT)
    copyTree(join(root, path), join(into, PROGRAM, path), (file) => !NOT_READ.test(file));
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
  layOutPapers(root, into, 'trunkline-models', version);
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

/** Without the packages within it: those that are run are named by themselves. */
function copyPackage(root, path, into) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const wanted = (file) => !/(^|\/)node_modules(\/|$)/.test(file) && isRun(`${name}/${file}`);
  copyTree(join(root, path), join(into, path), wanted);
}

function copyTree(from, to, wanted) {
  if (!statSync(from).isDirectory()) return copy(from, to);
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const inside = relative(from, path);
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile() && wanted(inside)) copy(path, join(to, inside));
    }
  };
  visit(from);
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, PROGRAMS.test(to) ? 0o755 : 0o644);
}

function put(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
