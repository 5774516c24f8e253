// @requirement Guides: The Debian package for a GPU holds the libraries and the forms of models, where a server finds them.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { buildGpu } from '../../scripts/debian/build.mjs';
// @ts-expect-error scripts are plain JavaScript
import { modelFolder } from '../../scripts/models/layout.mjs';
import { installedGpuLibrary } from '../../src/foundation/platform/models/index.ts';
import { root } from '../running-server.ts';
import { noBuild } from './machine.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'debian-gpu-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

/** A package of PyPI whose files are texts. */
function wheel(name: string, members: Record<string, string>) {
  const path = join(folder, 'from', `${name}-1.0-py3-none-any.whl`);
  mkdirSync(join(folder, 'from'), { recursive: true });
  const source =
    'import json,sys,zipfile\nz=zipfile.ZipFile(sys.argv[1],"w")\nfor n,t in json.loads(sys.argv[2]).items(): z.writestr(n,t)\nz.close()';
  execFileSync('python3', ['-c', source, path, JSON.stringify(members)]);
  return {
    name,
    version: '1.0',
    file: `${name}-1.0-py3-none-any.whl`,
    sha256: sha256(readFileSync(path)),
    bytes: statSync(path).size,
    tag: 'any',
    members: Object.entries(members).map(([member, text]) => ({ member, bytes: text.length })),
  };
}

it.skipIf(noBuild !== '' || process.arch !== 'x64')('packs what a GPU needs', async () => {
  const form = 'half precision';
  const model = {
    id: 'whisper-base-gpu',
    files: [{ path: 'whisper-base-gpu/encoder.onnx', sha256: sha256(form), bytes: form.length }],
  };
  const cache = join(folder, 'cache');
  mkdirSync(modelFolder(cache, model), { recursive: true });
  writeFileSync(join(modelFolder(cache, model), 'encoder.onnx'), form);
  const runtime = {
    version: '9.9',
    library: 'libonnxruntime.so.9.9',
    packages: [
      wheel('onnxruntime-gpu', { 'onnxruntime/capi/libonnxruntime.so.9.9': 'the runtime' }),
      wheel('nvidia-curand', { 'nvidia/cu13/lib/libcurand.so.10': 'random numbers' }),
    ],
  };
  const from = join(folder, 'from');
  const file = await buildGpu(root, folder, '0.9.0~test', {
    models: [model],
    cache,
    from,
    runtime,
    log() {},
  });
  expect(file).toMatch(/trunkline-gpu_0\.9\.0~test_amd64\.deb$/);
  const field = (name: string) =>
    spawnSync('dpkg-deb', ['--field', file, name], { encoding: 'utf8' }).stdout.trim();
  expect(field('Depends')).toBe('trunkline');

  const unpacked = join(folder, 'unpacked');
  execFileSync('dpkg-deb', ['--extract', file, unpacked]);
  const models = join(unpacked, 'usr/lib/trunkline-models');
  const library = '/usr/lib/trunkline-models/.gpu/9.9/libonnxruntime.so.9.9';
  expect(readFileSync(join(models, '.gpu/library'), 'utf8').trim()).toBe(library);
  expect(readFileSync(join(unpacked, library), 'utf8')).toBe('the runtime');
  expect(readFileSync(join(models, '.gpu/9.9/libcurand.so.10'), 'utf8')).toBe('random numbers');
  expect(readFileSync(join(modelFolder(models, model), 'encoder.onnx'), 'utf8')).toBe(form);
  const names = execFileSync('tar', ['-t'], {
    input: execFileSync('dpkg-deb', ['--fsys-tarfile', file]),
    encoding: 'utf8',
  });
  expect(names).not.toMatch(/\.whl|\.lock/);
  // On the machine, the path is whole.
  writeFileSync(join(models, '.gpu/library'), join(unpacked, library));
  expect(installedGpuLibrary(models)).toBe(join(unpacked, library));
});
