import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface PythonWith {
  readonly folder: string;
  /** It names why the package is not available, and is empty when it is installed. In CI that is a failure. */
  readonly missing: string;
}

export function pythonWith(name: string, version: string): PythonWith {
  const folder = join(process.cwd(), 'build-test', `python-${name}-${version}`);
  if (existsSync(folder)) return { folder, missing: '' };
  const arriving = `${folder}.${process.pid}`;
  try {
    execFileSync('python3', ['-m', 'venv', arriving], { stdio: 'pipe' });
    const options = ['--quiet', '--no-input', '--disable-pip-version-check'];
    execFileSync(join(arriving, 'bin/python'), ['-m', 'pip', 'install', ...options, `${name}==${version}`], {
      stdio: 'pipe',
    });
    renameSync(arriving, folder);
    return { folder, missing: '' };
  } catch (error) {
    rmSync(arriving, { recursive: true, force: true });
    if (existsSync(folder)) return { folder, missing: '' };
    if (process.env.CI === 'true') throw error;
    return { folder, missing: `pip install ${name} failed` };
  }
}
