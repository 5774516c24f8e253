#!/usr/bin/env node
/**
 * Learns models/recipes/listening/learnt.bin anew: the nets that tell signs of listening from somebody who wants to speak.
 *
 *   node scripts/learn-listening.mjs [--clips FOLDER] [--rows FILE] [--learn-only]
 *
 * It needs the recordings of ../shared/speech, and some 40 minutes on two cores: the sounds are spoken by the engine first
 * (`npm run bench -- omni clips`). --clips takes them from a folder, --rows keeps what the encoders made of them for the
 * next run, and --learn-only leaves out the comparison by which settings were chosen. The manifest is pinned to what came out.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultRoot, modelFolder, readManifest } from './models/layout.mjs';
import { recipePackages } from './models/recipes.mjs';
import { Failure, runMain } from './setup/failure.mjs';
import { run, tail } from './setup/run.mjs';
import { root, setUp } from './setup.mjs';

const FOLDER = join(root, 'models/recipes/listening');
const CLIPS = join(root, 'build-bench/omni-clips');
const log = (line) => console.log(line);

async function carryOut(command, args, env = {}) {
  const done = await run(command, args, { cwd: root, env, onLine: log });
  if (done.code !== 0) throw new Failure(`${command} ${args[0]} failed:\n${tail(done.stderr)}`);
}

function encoder(manifest, path) {
  const model = manifest.models.find(({ id }) => path.startsWith(`${id}/`));
  return join(modelFolder(defaultRoot(), model), path.slice(model.id.length + 1));
}

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      clips: { type: 'string' },
      rows: { type: 'string' },
      'learn-only': { type: 'boolean', default: false },
    },
  });
  await setUp({ log });
  if (values.clips === undefined) await carryOut('npm', ['run', 'bench', '--', 'omni', 'clips']);
  const manifest = readManifest();
  const packages = await recipePackages(defaultRoot(), log, {
    requirements: join(FOLDER, 'requirements.txt'),
  });
  const args = [
    join(FOLDER, 'learn.py'),
    resolve(values.clips ?? CLIPS),
    encoder(manifest, 'moonshine-tiny-en/encoder.ort'),
    encoder(manifest, 'whisper-base/encoder.onnx'),
    join(FOLDER, 'learnt.bin'),
    ...(values.rows ? ['--rows', resolve(values.rows)] : []),
    ...(values['learn-only'] ? ['--learn-only'] : []),
  ];
  await carryOut('python3', args, {
    PYTHONPATH: packages,
    PYTHONHASHSEED: '0',
    PYTHONDONTWRITEBYTECODE: '1',
  });
  await carryOut('node', ['scripts/fetch-models.mjs', '--pin', 'listening']);
  await carryOut('npx', ['biome', 'check', '--write', 'models/manifest.json']);
});
