import { spawn } from 'node:child_process';
import { access, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The runtime is not a dependency of the project: it is large, and only local models need it. */
export const RUNTIME_VERSION = '3.22.1';

const GGUF_MAGIC = 'GGUF';

/** Where the runtime lies, given the server's folder of data. */
export const runtimeFolder = (dataDir: string): string => join(dataDir, 'llama');

export const runtimeEntry = (dir: string): string =>
  join(dir, 'node_modules', 'node-llama-cpp', 'dist', 'index.js');

export async function runtimeInstalled(dir: string): Promise<boolean> {
  return await access(runtimeEntry(dir)).then(
    () => true,
    () => false,
  );
}

/** Why this file can't be a model; null when it looks like one. Only loading it tells the rest. */
export async function modelFileProblem(path: string): Promise<string | null> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read: ${code}`;
  }
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(GGUF_MAGIC.length), 0, GGUF_MAGIC.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === GGUF_MAGIC ? null : `${path} is not a GGUF file`;
  } catch (error) {
    return `${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`;
  } finally {
    await file.close();
  }
}

/** The names under which the binaries of a platform are published. */
function binaryNames(gpu: boolean): string[] {
  const { platform, arch } = process;
  if (platform === 'darwin') return [arch === 'arm64' ? 'mac-arm64-metal' : 'mac-x64'];
  const plain = `${platform === 'win32' ? 'win' : platform}-${arch}`;
  return gpu ? [plain, `${plain}-cuda`, `${plain}-vulkan`] : [plain];
}

/** Installs the runtime and the binary of this platform with npm, as npm is configured; no script of theirs runs.
 * Rejects with what can be done about it. */
export async function installRuntime(dir: string, options: { gpu: boolean }): Promise<void> {
  await mkdir(dir, { recursive: true });
  const names = ['node-llama-cpp', ...binaryNames(options.gpu).map((name) => `@node-llama-cpp/${name}`)];
  const dependencies = Object.fromEntries(names.map((name) => [name, RUNTIME_VERSION]));
  await writeFile(join(dir, 'package.json'), `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`);
  await run('npm', ['install', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'], dir);
  if (!(await runtimeInstalled(dir))) {
    throw new Error(
      `npm reported success, but no runtime can be started in ${dir}: remove the folder and install again`,
    );
  }
}

function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new Error(`${command} is not on the PATH`) : error),
    );
    child.on('exit', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(
            `${command} ended with ${code ?? signal}; its output is above. It needs a package registry or a filled npm cache, and some 150 MB in ${cwd}`,
          ),
        );
    });
  });
}
