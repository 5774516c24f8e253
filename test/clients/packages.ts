/** The packages that strangers install: built from the contract of a server, and installed from their files. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';
import type { World } from '../contract/world.ts';
import { root } from '../running.ts';

const run = promisify(execFile);
type Language = 'typescript' | 'python';

interface Builder {
  buildClient(root: string, language: Language, contract: object): Promise<string>;
}

/** Why the generators cannot be had; empty when they can. In CI that is a failure. */
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
  const { buildClient } = (await import(join(root, 'scripts/clients/build.mjs'))) as Builder;
  const asyncapi = (await world.send('/asyncapi.json')).json;
  return buildClient(root, language, { openapi: world.openapi, asyncapi });
}

function emptyFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A project of nobody's that has the client of npm, as its file was packed. */
export async function npmProject(world: World): Promise<string> {
  const packed = await builtPackage(world, 'typescript');
  const folder = emptyFolder('client-npm');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'stranger', private: true }));
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', packed], {
    cwd: folder,
  });
  return folder;
}

/** The Python of a virtual environment that has the client's wheel. */
export async function pythonProject(world: World): Promise<string> {
  const wheel = await builtPackage(world, 'python');
  const folder = emptyFolder('client-pypi');
  await run('python3', ['-m', 'venv', folder]);
  const python = join(folder, 'bin/python');
  await run(python, ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check', wheel]);
  return python;
}
