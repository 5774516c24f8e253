/**
 * The packages for arm64: the long form packs them on a machine of another processor, installs them as npm does on arm64,
 * and qemu runs Node, the engine and its programs. It says nothing about the speed of arm64.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { modelsForArm64 } from '../../scripts/models/arm64.mjs';
// @ts-expect-error scripts are plain JavaScript
import { emulating, lackingForArm64 } from '../../scripts/native/arm64.mjs';
// @ts-expect-error scripts are plain JavaScript
import { buildImage } from '../../scripts/release/image.mjs';
// @ts-expect-error scripts are plain JavaScript
import { NODES, nodeFolder } from '../../scripts/release/nodes.mjs';
// @ts-expect-error scripts are plain JavaScript
import { ownVersion, packRelease, WORK } from '../../scripts/release/pack.mjs';
// @ts-expect-error scripts are plain JavaScript
import { startRegistry } from '../../scripts/release/registry.mjs';
// @ts-expect-error scripts are plain JavaScript
import { Trial } from '../../scripts/release/trial.mjs';
import { long } from '../long-tests.ts';
import { compileProgram, root } from '../running-server.ts';
// @ts-expect-error it is plain JavaScript, because it also runs in an image
import { firstCall } from './first-call.mjs';
import { unpackedImage } from './unpacked-image.ts';

let folder = '';
beforeAll(compileProgram, 120_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trunkline-arm64-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const log = () => {};
const lacking = long && process.arch !== 'arm64' ? await lackingForArm64(root) : '';
if (lacking !== '') console.warn(`no package for arm64 is tried here, for want of: ${lacking}`);

interface Locked {
  readonly version: string;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly cpu?: readonly string[];
  readonly os?: readonly string[];
  readonly libc?: readonly string[];
}

/** The registry of the trial serves what npm's cache holds, where packages of another processor are absent. */
function fetchPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  for (const [path, { version, dev, cpu, os, libc }] of Object.entries(packages)) {
    if (dev || !cpu?.includes('arm64') || !os?.includes('linux') || libc?.includes('musl')) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const added = spawnSync('npm', ['cache', 'add', `${name}@${version}`], { encoding: 'utf8' });
    expect(added.status, added.stderr).toBe(0);
  }
}

describe.skipIf(!long || lacking !== '' || process.arch === 'arm64')('a release for arm64', () => {
  it('installs without a compiler, finds its kernels, speaks and transcribes', {
    timeout: 3_600_000,
  }, async () => {
    const out = join(folder, 'npm');
    await packRelease({ out, version: ownVersion(), archs: ['arm64'], log });
    fetchPackages();
    const registry = await startRegistry({ root, packages: out });
    const trial = new Trial(folder, { registry: registry.url });
    try {
      await trial.install('trunkline', '--os=linux', '--cpu=arm64', '--libc=glibc');
    } finally {
      await registry.close();
    }
    const [abi] = Object.keys(NODES);
    const node = join(await nodeFolder(abi, WORK, log, 'arm64'), 'bin/node');
    const program = [node, join(folder, 'app/node_modules/trunkline/bin/trunkline.mjs')];
    const env = {
      PATH: process.env.PATH,
      HOME: join(folder, 'home'),
      TRUNKLINE_PORT: '0',
      TRUNKLINE_DATA: join(folder, 'data'),
      TRUNKLINE_MODELS: await modelsForArm64(root, log),
    };
    const [command, ...first] = emulating(root) as [string, ...string[]];
    const doctor = spawnSync(command, [...first, ...program, 'doctor'], { encoding: 'utf8', env });
    expect(doctor.stdout, doctor.stderr).toMatch(/neon/);
    expect(doctor.stdout).toMatch(/^ok +sound \(SRTP\)$/m);
    expect(doctor.stdout).not.toMatch(/^FAILS/m);
    const serve = [command, ...first, ...program, 'serve'];
    expect(await firstCall(serve, { env, format: 'wav' })).toMatch(/appointment is tomorrow/);
  });

  it('is also an image, of which every program runs', { timeout: 3_600_000 }, async () => {
    const { file } = await buildImage({ out: folder, version: '1.0.0', arch: 'arm64', log });
    const image = unpackedImage(file, folder);
    expect(image.architecture).toBe('arm64');
    const [node, program] = image.config.Entrypoint as [string, string];
    const env = {
      PATH: `${join(image.root, 'usr/bin')}:${process.env.PATH}`,
      TRUNKLINE_DATA: join(folder, 'data'),
      TRUNKLINE_MODELS: await modelsForArm64(root, log),
    };
    const [command, ...first] = emulating(root, { files: image.root }) as [string, ...string[]];
    const words = [...first, join(image.root, node), join(image.root, program)];
    const doctor = spawnSync(command, [...words, 'doctor'], { encoding: 'utf8', env });
    expect(doctor.stdout, doctor.stderr).toMatch(/^ok +ffmpeg: .* decodes$/m);
    expect(doctor.stdout).not.toMatch(/^FAILS/m);
  });
});
