import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { World } from '../contract/world.ts';
import { root } from '../running-server.ts';

const run = promisify(execFile);
type Language = 'typescript' | 'python';

type Integration = 'pipecat' | 'livekit' | 'ai-sdk' | 'react' | 'n8n';

interface Builder {
  buildClient(root: string, language: Language, contract: object): Promise<string>;
  buildIntegration(root: string, name: Integration): Promise<string>;
}

const builder = async () => (await import(join(root, 'scripts/clients/build.mjs'))) as Builder;

/** Returns why the generators are not available, or an empty string. In CI that is a failure. */
function unreachable(): string {
  try {
    execFileSync('npm', ['view', 'ws', 'version'], { stdio: 'pipe', timeout: 60_000 });
    execFileSync('python3', ['-m', 'venv', '--help'], { stdio: 'pipe' });
    return '';
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    return 'no registry answers';
  }
}
export const clientsMissing = existsSync(join(root, 'build-clients')) ? '' : unreachable();
if (clientsMissing) console.warn(`the tests of the clients are skipped: ${clientsMissing}`);

export async function builtPackage(world: World, language: Language): Promise<string> {
  const { buildClient } = await builder();
  const asyncapi = (await world.send('/asyncapi.json')).json;
  return buildClient(root, language, { openapi: world.openapi, asyncapi });
}

async function installed(
  packed: string,
  make: (folder: string) => Promise<unknown>,
  suffix = '',
): Promise<string> {
  const folder = join(root, 'build-test', `with-${basename(dirname(packed))}${suffix}`);
  if (existsSync(folder)) return folder;
  const arriving = `${folder}.${process.pid}`;
  mkdirSync(arriving, { recursive: true });
  try {
    await make(arriving);
    if (!existsSync(folder)) renameSync(arriving, folder);
  } finally {
    rmSync(arriving, { recursive: true, force: true });
  }
  return folder;
}

export const npmProject = async (world: World): Promise<string> =>
  projectWith(await builtPackage(world, 'typescript'));

function projectWith(packed: string, frameworks: readonly string[] = []): Promise<string> {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  const install = async (cwd: string) => {
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'stranger', private: true }));
    await run('npm', ['install', ...options, packed, ...frameworks], { cwd });
  };
  return installed(packed, install, frameworks.map((name) => `-${name.replace(/[^\w.]/g, '_')}`).join(''));
}

/** Makes a project that has the package and the frameworks, each as `name@version`. */
export async function integrationProject(name: Integration, frameworks: readonly string[]): Promise<string> {
  const { buildIntegration } = await builder();
  return projectWith(await buildIntegration(root, name), frameworks);
}

/** Makes a folder for PYTHONPATH that has the package alone: the framework is in a folder of its own. */
export async function integrationModules(name: Integration): Promise<string> {
  const { buildIntegration } = await builder();
  const wheel = await buildIntegration(root, name);
  const options = ['--quiet', '--no-input', '--disable-pip-version-check', '--no-deps'];
  return installed(wheel, async (arriving) => {
    await run('python3', ['-m', 'pip', 'install', ...options, '--target', arriving, wheel]);
  });
}

export async function pythonProject(world: World): Promise<string> {
  const wheel = await builtPackage(world, 'python');
  const options = ['--quiet', '--no-input', '--disable-pip-version-check'];
  const folder = await installed(wheel, async (arriving) => {
    await run('python3', ['-m', 'venv', arriving]);
    await run(join(arriving, 'bin/python'), ['-m', 'pip', 'install', ...options, wheel]);
  });
  return join(folder, 'bin/python');
}
