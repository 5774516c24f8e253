/**
 * The layout of C++ depends on clang-format's version, so one version judges everywhere: the system's where it is that
 * one, else the pinned package, installed beside the models for this alone.
 */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { defaultRoot } from '../models/layout.mjs';
import { Failure } from '../setup/failure.mjs';
import { run, tail } from '../setup/run.mjs';

const VERSION = '14.0.6';

export async function clangFormat() {
  const system = await run('clang-format', ['--version']);
  if (system.stdout.includes(`version ${VERSION}`)) return { program: 'clang-format', env: {} };
  const folder = join(defaultRoot(), '.python', `clang-format-${VERSION}`);
  if (!existsSync(folder)) await install(folder);
  return { program: join(folder, 'bin/clang-format'), env: { PYTHONPATH: folder } };
}

async function install(folder) {
  const arriving = `${folder}.arriving`;
  rmSync(arriving, { recursive: true, force: true });
  const args = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-input',
    '--disable-pip-version-check',
    '--no-cache-dir',
    '--no-deps',
  ];
  const result = await run('python3', [...args, '--target', arriving, `clang-format==${VERSION}`]);
  if (result.code !== 0)
    throw new Failure(`clang-format ${VERSION} cannot be installed:\n${tail(result.stderr, 4)}`);
  renameSync(arriving, folder);
}

export function cppSources(root) {
  return ['native', 'bench'].flatMap((name) => {
    if (!existsSync(join(root, name))) return [];
    return readdirSync(join(root, name), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.(cc|h)$/.test(entry.name))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  });
}
