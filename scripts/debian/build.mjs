import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../setup/failure.mjs';
import { command } from './command.mjs';
import { layOutGpu, layOutModels, layOutProgram, MAINTAINER } from './contents.mjs';
import { librariesOf } from './libraries.mjs';

const FILES = fileURLToPath(new URL('files', import.meta.url));
const VERSION = /^\d[A-Za-z0-9.+~]*$/;
const NODE = { 20: '20.19', 22: '22.12' };

export async function buildProgram(root, out, version) {
  return packed('trunkline', out, version, async (tree) => {
    layOutProgram(root, tree, version);
    return {
      depends: [
        ...nodeOf(process.versions.node),
        'init-system-helpers',
        'systemd',
        ...(await librariesOf(tree)),
      ],
      more: [
        'Recommends: trunkline-models',
        'Suggests: trunkline-gpu, bubblewrap, tesseract-ocr, clamav-daemon, python3-pip',
      ],
      scripts: 'trunkline',
      conffiles: ['/etc/trunkline/trunkline.env'],
      says: [
        'voice AI platform for phone calls',
        'Recognition, speech, full-duplex agents and answering-machine detection, served',
        'on one port of this machine. Models are in trunkline-models.',
      ],
    };
  });
}

export async function buildModels(root, out, version, { models, cache }) {
  return packed('trunkline-models', out, version, async (tree) => {
    layOutModels(root, tree, { models, cache, version });
    return {
      depends: [],
      more: ['Enhances: trunkline'],
      scripts: 'models',
      conffiles: [],
      says: [
        'models of Trunkline, for appliances without a network',
        'Weights and programs that Trunkline hears and speaks with, each as it was pinned',
        'by its digest. eSpeak NG and FFmpeg among them are GPL programs.',
      ],
    };
  });
}

/** `runtime` and `from` as in gpu-runtime.mjs. */
export async function buildGpu(root, out, version, { models, cache, from, log, runtime }) {
  return packed('trunkline-gpu', out, version, async (tree) => {
    await layOutGpu(root, tree, { models, cache, version, from, log, runtime });
    return {
      depends: ['trunkline'],
      more: ['Enhances: trunkline'],
      scripts: 'models',
      conffiles: [],
      says: [
        'models and libraries of Trunkline for an NVIDIA GPU',
        'ONNX Runtime and the libraries of CUDA 13 that it needs, under the licences of',
        'NVIDIA, and the models in the form that runs there. The driver is not in it.',
      ],
    };
  });
}

/** A binary that is compiled for one major version of Node does not work with another. */
function nodeOf(version) {
  const major = Number(version.split('.')[0]);
  return [`nodejs (>= ${NODE[major] ?? major})`, `nodejs (<< ${major + 1})`];
}

async function packed(name, out, version, layOut) {
  if (!VERSION.test(version)) throw new Failure(`${version} is no version of a Debian package`);
  const tree = mkdtempSync(join(tmpdir(), `${name}-`));
  try {
    chmodSync(tree, 0o755);
    const about = await layOut(tree);
    const arch = (await command('dpkg', ['--print-architecture'])).trim();
    writeControl(tree, { name, version, arch, ...about });
    mkdirSync(out, { recursive: true });
    const file = join(resolve(out), `${name}_${version}_${arch}.deb`);
    await command('dpkg-deb', ['--root-owner-group', '-Zzstd', '-z3', '--build', tree, file]);
    return file;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

function writeControl(tree, { name, version, arch, depends, more, scripts, conffiles, says }) {
  const files = [...filesOf(tree)];
  const control = join(tree, 'DEBIAN');
  mkdirSync(control);
  const [short, ...long] = says;
  const lines = [
    `Package: ${name}`,
    `Version: ${version}`,
    `Architecture: ${arch}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${Math.ceil(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1024)}`,
    'Section: net',
    'Priority: optional',
    ...(depends.length > 0 ? [`Depends: ${depends.join(', ')}`] : []),
    ...more,
    `Description: ${short}`,
    ...long.map((line) => ` ${line}`),
  ];
  writeFileSync(join(control, 'control'), `${lines.join('\n')}\n`);
  writeFileSync(join(control, 'md5sums'), files.map(({ path, md5 }) => `${md5}  ${path}\n`).join(''));
  if (conffiles.length > 0) writeFileSync(join(control, 'conffiles'), `${conffiles.join('\n')}\n`);
  for (const script of readdirSync(join(FILES, scripts))) {
    copyFileSync(join(FILES, scripts, script), join(control, script));
    chmodSync(join(control, script), 0o755);
  }
}

function* filesOf(tree, folder = tree) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesOf(tree, path);
    else if (entry.isFile()) {
      const bytes = readFileSync(path);
      const md5 = createHash('md5').update(bytes).digest('hex');
      yield { path: relative(tree, path), bytes: bytes.length, md5 };
    }
  }
}
