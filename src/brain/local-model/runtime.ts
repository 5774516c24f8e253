import { spawn } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Not a dependency of the project: it is large, and only who wants a model on this machine needs it. */
export const RUNTIME_VERSION = '3.22.1';

export const runtimeEntry = (dir: string): string =>
  join(dir, 'node_modules', 'node-llama-cpp', 'dist', 'index.js');

export async function runtimeInstalled(dir: string): Promise<boolean> {
  return await access(runtimeEntry(dir)).then(
    () => true,
    () => false,
  );
}

/** Installs the runtime and the binary of this platform with npm, as npm is configured; no script of theirs runs. */
export async function installRuntime(dir: string, options: { gpu: boolean }): Promise<void> {
  await mkdir(dir, { recursive: true });
  const platform = `${process.platform === 'darwin' ? 'mac' : process.platform}-${process.arch}`;
  const binaries = [platform, ...(options.gpu ? [`${platform}-cuda`, `${platform}-vulkan`] : [])];
  const dependencies = Object.fromEntries(
    ['node-llama-cpp', ...binaries.map((name) => `@node-llama-cpp/${name}`)].map((name) => [
      name,
      RUNTIME_VERSION,
    ]),
  );
  await writeFile(join(dir, 'package.json'), `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`);
  await run('npm', ['install', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'], dir);
}

function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}`));
    });
  });
}
