import { spawn } from 'node:child_process';
import { access, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The runtime is not a dependency of the project, because it is large and only local models need it. */
export const RUNTIME_VERSION = '3.22.1';

const GGUF_MAGIC = 'GGUF';

export const runtimeFolder = (dataDir: string): string => join(dataDir, 'llama');

export const runtimeEntry = (dir: string): string =>
  join(dir, 'node_modules', 'node-llama-cpp', 'dist', 'index.js');

export async function runtimeInstalled(dir: string): Promise<boolean> {
  return await access(runtimeEntry(dir)).then(
    () => true,
    () => false,
  );
}

/** Returns null where the file looks like a model; only loading it can prove that. */
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

function binaryNames(gpu: boolean): string[] {
  const { platform, arch } = process;
  if (platform === 'darwin') return [arch === 'arm64' ? 'mac-arm64-metal' : 'mac-x64'];
  const plain = `${platform === 'win32' ? 'win' : platform}-${arch}`;
  return gpu ? [plain, `${plain}-cuda`, `${plain}-vulkan`] : [plain];
}

/**
 * Installs the runtime and this platform's binary with npm and its configuration, without running their scripts.
 * Rejects with a remedy.
 */
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
