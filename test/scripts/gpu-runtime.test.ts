import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { install, missingPackages, readRuntime, uninstall } from '../../scripts/gpu-runtime.mjs';
// @ts-expect-error: it has no types
import { gpuModels, readManifest } from '../../scripts/models/layout.mjs';
import { installedGpuLibrary } from '../../src/foundation/platform/models/index.ts';

let folder: string;
let lines: string[];
const log = (line: string) => lines.push(line);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trunkline-gpu-'));
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function wheel(name: string, members: Record<string, string>) {
  const from = join(folder, 'from');
  mkdirSync(from, { recursive: true });
  const file = `${name}-1.0-py3-none-any.whl`;
  const source =
    'import json,sys,zipfile\nz=zipfile.ZipFile(sys.argv[1],"w")\nfor n,t in json.loads(sys.argv[2]).items(): z.writestr(n,t)\nz.close()';
  execFileSync('python3', ['-c', source, join(from, file), JSON.stringify(members)]);
  return {
    name,
    version: '1.0',
    file,
    sha256: createHash('sha256')
      .update(readFileSync(join(from, file)))
      .digest('hex'),
    bytes: statSync(join(from, file)).size,
    tag: 'any',
    members: Object.entries(members).map(([member, text]) => ({ member, bytes: text.length })),
  };
}

const runtimeOf = () => ({
  version: '9.9',
  library: 'libonnxruntime.so.9.9',
  packages: [
    wheel('onnxruntime-gpu', { 'onnxruntime/capi/libonnxruntime.so.9.9': 'the runtime' }),
    wheel('nvidia-curand', { 'nvidia/cu13/lib/libcurand.so.10': 'random numbers' }),
  ],
});

const wanted = (more: object = {}) => ({
  root: join(folder, 'root'),
  from: join(folder, 'from'),
  log,
  runtime: runtimeOf(),
  system: new Set<string>(),
  ...more,
});

it('has set-up make the forms for a GPU where the libraries are installed', async () => {
  const forms = () =>
    (gpuModels(readManifest(), join(folder, 'root')) as { id: string }[]).map(({ id }) => id);
  expect(forms()).toEqual([]);
  await install(wanted());
  expect(forms()).toEqual(['whisper-base-gpu', 'moonshine-tiny-en-gpu', 'kokoro-gpu']);
  uninstall({ root: join(folder, 'root'), log });
  expect(forms()).toEqual([]);
});

it('puts the libraries into one folder and names the one that a server opens', async () => {
  const library = await install(wanted());
  const root = join(folder, 'root');
  expect(library).toBe(join(root, '.gpu/9.9/libonnxruntime.so.9.9'));
  expect(installedGpuLibrary(root)).toBe(library);
  expect(readFileSync(join(root, '.gpu/9.9/libcurand.so.10'), 'utf8')).toBe('random numbers');
  expect(lines.at(-1)).toContain(library);
  await install(wanted({ from: join(folder, 'nowhere') }));
  expect(installedGpuLibrary(root)).toBe(library);
});

it('leaves out what the system has', async () => {
  await install(wanted({ system: new Set(['libcurand.so.10']) }));
  expect(existsSync(join(folder, 'root/.gpu/9.9/libcurand.so.10'))).toBe(false);
});

it('says what it would fetch, and fetches nothing', async () => {
  expect(await install(wanted({ dryRun: true }))).toBeUndefined();
  expect(lines).toContainEqual(expect.stringMatching(/^gpu: nvidia-curand 1\.0, /));
  expect(existsSync(join(folder, 'root'))).toBe(false);
});

it('refuses a package that is not the pinned one, and installs nothing', async () => {
  const asked = wanted();
  writeFileSync(join(folder, 'from/nvidia-curand-1.0-py3-none-any.whl'), 'something else');
  await expect(install(asked)).rejects.toThrow(/not the file that was pinned/);
  expect(installedGpuLibrary(asked.root)).toBeUndefined();
});

it('refuses where the disk has not enough space', async () => {
  const asked = wanted();
  asked.runtime.packages[0]!.members[0]!.bytes = 1e18;
  await expect(install(asked)).rejects.toThrow(/free, but needs/);
});

it('removes everything again', async () => {
  const asked = wanted();
  await install(asked);
  uninstall({ root: asked.root, log });
  expect(existsSync(join(asked.root, '.gpu'))).toBe(false);
  expect(installedGpuLibrary(asked.root)).toBeUndefined();
});

it('pins every package by its hash, with each library that the CUDA provider needs', () => {
  const runtime = readRuntime();
  for (const { sha256, bytes, members } of runtime.packages) {
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(bytes).toBeGreaterThan(0);
    expect(members.length).toBeGreaterThan(0);
  }
  const libraries = runtime.packages.flatMap(({ members }) => members.map(({ member }) => basename(member)));
  const needed = [
    'libcudart.so.13',
    'libcublasLt.so.13',
    'libcublas.so.13',
    'libcurand.so.10',
    'libcufft.so.12',
    'libcudnn.so.9',
  ];
  expect(libraries).toEqual(
    expect.arrayContaining([runtime.library, 'libonnxruntime_providers_cuda.so', ...needed]),
  );
  expect(missingPackages(runtime, new Set(libraries)).map(({ name }) => name)).toEqual(['onnxruntime-gpu']);
});
