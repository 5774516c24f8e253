/**
 * Installs the generators for the clients only, once per version, even when several processes do so at the same time.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const NPM = { '@hey-api/openapi-ts': '0.95.0', typescript: '5.9.3', ws: '8.18.3', '@types/ws': '8.18.1' };
const PYPI = ['openapi-python-client==0.29.1', 'hatchling==1.27.0'];
export const PIP = ['--quiet', '--no-input', '--disable-pip-version-check'];

const folderOf = (root, kind, versions) =>
  join(root, 'build-clients', `${kind}-${versions.join('-').replace(/[^A-Za-z0-9.-]+/g, '_')}`);

async function filled(folder, fill) {
  if (existsSync(folder)) return folder;
  const arriving = `${folder}.${process.pid}`;
  mkdirSync(arriving, { recursive: true });
  try {
    await fill(arriving);
    renameSync(arriving, folder);
  } catch (error) {
    rmSync(arriving, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

export const npmFolder = (root, kind, dependencies) =>
  filled(folderOf(root, kind, Object.values(dependencies)), async (arriving) => {
    writeFileSync(join(arriving, 'package.json'), JSON.stringify({ private: true, dependencies }));
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: arriving,
    });
  });

export const npmTools = (root) => npmFolder(root, 'npm', NPM);

/** The folder name contains the versions, because a Python environment cannot be moved. */
export async function pythonTools(root) {
  const folder = folderOf(root, 'python', PYPI);
  const mark = join(folder, '.whole');
  if (existsSync(mark)) return folder;
  await run('python3', ['-m', 'venv', folder]);
  await run(join(folder, 'bin/python'), ['-m', 'pip', 'install', ...PIP, ...PYPI]);
  writeFileSync(mark, '');
  return folder;
}
