/**
 * Builds the database's compiled file for each version of Node: it is linked with Node's own interface, which changes
 * with each major version. The headers come from the npm package of that version of Node.
 */
import { cpSync, existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../setup/failure.mjs';
import { run, tail } from '../setup/run.mjs';
import { nodeHeaders } from '../setup/tools.mjs';
import { NODES, nodeFolder, onPath } from './nodes.mjs';

const BUILT = 'build/Release/better_sqlite3.node';

export async function databaseFor(abi, { root, work, log, arch = process.arch }) {
  const source = join(root, 'node_modules/better-sqlite3');
  const own = join(source, BUILT);
  const isOwn = abi === process.versions.modules && arch === process.arch;
  if (isOwn && existsSync(own)) return own;
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const folder = join(work, `better-sqlite3-${version}-${abi}${arch === process.arch ? '' : `-${arch}`}`);
  const built = join(folder, BUILT);
  if (existsSync(built) && isBuiltFor(built, abi)) return built;
  const nodedir = (isOwn && nodeHeaders()) || (await nodeFolder(abi, work, log, arch));
  log(`database: compiling for Node ${NODES[abi]}`);
  rmSync(folder, { recursive: true, force: true });
  for (const part of ['binding.gyp', 'package.json', 'deps', 'src'])
    cpSync(join(source, part), join(folder, part), { recursive: true });
  const prefix = arch === process.arch ? '' : 'aarch64-linux-gnu-';
  const cached = onPath('ccache') ? 'ccache ' : '';
  const compilers = prefix || cached ? { CC: `${cached}${prefix}gcc`, CXX: `${cached}${prefix}g++` } : {};
  const args = [nodeGyp(), 'rebuild', '--release', `--arch=${arch}`, `--nodedir=${nodedir}`];
  const result = await run(process.execPath, args, {
    cwd: folder,
    // npm's own settings would override the options.
    env: { JOBS: 'max', npm_config_nodedir: nodedir, npm_config_arch: arch, ...compilers },
  });
  if (result.code !== 0 || !existsSync(built))
    throw new Failure(`better-sqlite3 was not compiled for Node ${NODES[abi]}:\n${tail(result.stderr, 20)}`);
  if (!isBuiltFor(built, abi))
    throw new Failure(`${built} was compiled with the headers of another Node than ${NODES[abi]}`);
  return built;
}

export const isBuiltFor = (path, abi) => readFileSync(path).includes(`node_register_module_v${abi}\0`);

function nodeGyp() {
  const npm = onPath('npm');
  const path = npm && join(dirname(realpathSync(npm)), '../node_modules/node-gyp/bin/node-gyp.js');
  if (!path || !existsSync(path)) throw new Failure('node-gyp is missing; it comes with npm');
  return path;
}
