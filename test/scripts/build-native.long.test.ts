import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { BUILD_FOLDER, dropMovedBuild } from '../../scripts/native/compile.mjs';

const project = resolve(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
let root: string;

/** A copy of what a package holds: its build is the project's, so that no test compiles the engine again. */
beforeAll(() => {
  const built = spawnSync(process.execPath, ['scripts/build-native.mjs'], { cwd: project, encoding: 'utf8' });
  expect(built.stderr).toBe('');
  root = mkdtempSync(join(tmpdir(), 'trunkline-package-'));
  for (const part of ['package.json', 'binding.gyp', 'scripts', 'lib/binding']) {
    cpSync(join(project, part), join(root, part), { recursive: true });
  }
  mkdirSync(join(root, 'native'));
  cpSync(join(project, 'native'), join(root, 'native'), {
    recursive: true,
    filter: (path) => path !== join(project, 'native/test'),
  });
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'));
}, 600_000);

afterAll(() => rmSync(root, { recursive: true, force: true }));

function preGyp(args: string[], env: Record<string, string> = {}) {
  const program = require.resolve('@mapbox/node-pre-gyp/bin/node-pre-gyp');
  const done = spawnSync(process.execPath, [program, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, npm_config_nodedir: join(root, 'scripts/native/gyp'), ...env },
  });
  return { code: done.status, output: done.stdout + done.stderr };
}

const addon = () => join(root, 'lib/binding/trunkline.node');
const loads = (path: string) =>
  spawnSync(process.execPath, ['-e', `require(${JSON.stringify(path)}).statusTable()`]).status;

describe('the native build', () => {
  it('has nothing to do when nothing has changed', () => {
    const before = statSync(join(project, 'lib/binding/trunkline.node')).mtimeMs;
    const again = spawnSync(process.execPath, ['scripts/build-native.mjs'], {
      cwd: project,
      encoding: 'utf8',
    });
    expect(again.status).toBe(0);
    expect(again.stdout).toBe('');
    expect(statSync(join(project, 'lib/binding/trunkline.node')).mtimeMs).toBe(before);
  });

  it('is packed, and installed again from the packed file', () => {
    const packed = preGyp(['package']);
    expect(packed.output).toContain('packing binding/trunkline.node');
    expect(packed.code).toBe(0);
    rmSync(join(root, 'lib'), { recursive: true });
    const installed = preGyp(['install'], {
      npm_config_trunkline_binary_host_mirror: `file://${root}/build/stage/`,
    });
    expect(installed.output).toContain('is installed via remote');
    expect(loads(addon())).toBe(0);
  });

  it('falls back to the build, through binding.gyp, where no packed file is to be had', () => {
    const fallback = preGyp(['install', '--fallback-to-build', '--update-binary'], {
      npm_config_trunkline_binary_host_mirror: `file://${root}/nowhere/`,
    });
    expect(fallback.output).toContain('falling back to source compile');
    expect(fallback.output).toContain('binding_gyp_native_target_cmake');
    expect(fallback.code).toBe(0);
    expect(loads(addon())).toBe(0);
  });

  it('is not taken from a packed file that was made of other sources', () => {
    const stamp = join(root, 'lib/binding/trunkline.stamp');
    writeFileSync(stamp, 'of other sources');
    expect(preGyp(['package']).code).toBe(0);
    writeFileSync(stamp, 'nothing');
    const built = spawnSync(process.execPath, ['scripts/build-native.mjs'], {
      cwd: root,
      encoding: 'utf8',
      env: {
        ...process.env,
        CXX: 'no-such-compiler',
        npm_config_trunkline_binary_host_mirror: `file://${root}/build/stage/`,
      },
    });
    expect(built.stdout).toContain('made of other sources than these; building');
    expect(built.stderr).toContain('the native build needs g++');
    expect(built.status).toBe(1);
  });

  it('begins anew in a checkout that was copied or moved, and goes on in one that was not', () => {
    const build = join(root, BUILD_FOLDER);
    const cache = join(build, 'CMakeCache.txt');
    for (const [source, stays] of [
      [join(root, 'native'), true],
      [join(project, 'native'), false],
      [join(root, 'gone', 'native'), false],
    ] as const) {
      mkdirSync(build, { recursive: true });
      writeFileSync(
        cache,
        `CMAKE_GENERATOR:INTERNAL=Ninja\nCMAKE_HOME_DIRECTORY:INTERNAL=${source}\nX:BOOL=ON\n`,
      );
      dropMovedBuild(root);
      expect(existsSync(cache), source).toBe(stays);
    }
    rmSync(build, { recursive: true, force: true });
  });

  it('fails with words, not with a stack, when a tool is missing', () => {
    rmSync(join(root, 'lib'), { recursive: true });
    const without = spawnSync(process.execPath, ['scripts/build-native.mjs', '--compile'], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, CXX: 'no-such-compiler' },
    });
    expect(without.status).toBe(1);
    expect(without.stderr).toContain('the native build needs g++');
    expect(without.stderr).toContain('apt-get install -y g++');
    expect(without.stderr).not.toContain('    at ');
    expect(existsSync(addon())).toBe(false);
  });
});
