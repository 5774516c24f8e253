/** Builds the packages for frameworks: a wheel, or what `npm pack` makes of the compiler's output. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npmFolder, PIP, pythonTools } from './tools.mjs';

const run = promisify(execFile);

function copied(root, name, work) {
  rmSync(work, { recursive: true, force: true });
  cpSync(join(root, 'src/clients', name), work, { recursive: true });
  cpSync(join(root, 'LICENSE'), join(work, 'LICENSE'));
}

export async function wheelPackage(root, name, work, out) {
  const python = join(await pythonTools(root), 'bin/python');
  copied(root, name, work);
  mkdirSync(out, { recursive: true });
  await run(python, ['-m', 'pip', 'wheel', ...PIP, '--no-deps', '--no-build-isolation', '-w', out, work]);
  return join(
    out,
    readdirSync(out).find((file) => file.endsWith('.whl')),
  );
}

/** A package names what it is compiled with, at exact versions, in `devDependencies`. */
export async function npmPackage(root, name, work, out) {
  copied(root, name, work);
  const { devDependencies } = JSON.parse(readFileSync(join(work, 'package.json'), 'utf8'));
  const tools = await npmFolder(root, `npm-${name}`, devDependencies);
  symlinkSync(join(tools, 'node_modules'), join(work, 'node_modules'));
  await run(process.execPath, [join(tools, 'node_modules/typescript/bin/tsc'), '-p', work]).catch((error) => {
    throw new Error(`${error.message}\n${error.stdout ?? ''}`);
  });
  const isPicture = (path) => !/\.\w+$/.test(path) || path.endsWith('.svg');
  cpSync(join(work, 'src'), join(work, 'dist'), { recursive: true, filter: isPicture });
  mkdirSync(out, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', out], { cwd: work });
  return join(out, JSON.parse(stdout)[0].filename);
}
