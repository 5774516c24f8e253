/**
 * Builds the database's compiled file for each version of Node: it is linked with Node's own interface, which changes
 * with each major version. The headers come from the npm package of that version of Node.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { Failure } from '../setup/failure.mjs';
import { run, tail } from '../setup/run.mjs';
import { nodeHeaders } from '../setup/tools.mjs';

export const NODES = { 115: '20.19.5', 127: '22.23.5', 137: '24.22.3' };
const BUILT = 'build/Release/better_sqlite3.node';

export async function databaseFor(abi, { root, work, log }) {
  const source = join(root, 'node_modules/better-sqlite3');
  const own = join(source, BUILT);
  if (abi === process.versions.modules && existsSync(own)) return own;
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const folder = join(work, `better-sqlite3-${version}-${abi}`);
  const built = join(folder, BUILT);
  if (existsSync(built) && isBuiltFor(built, abi)) return built;
  const nodedir = await headersOf(abi, work, log);
  log(`database: compiling for Node ${NODES[abi]}`);
  rmSync(folder, { recursive: true, force: true });
  for (const part of ['binding.gyp', 'package.json', 'deps', 'src'])
    cpSync(join(source, part), join(folder, part), { recursive: true });
  const cached = onPath('ccache') ? { CC: 'ccache gcc', CXX: 'ccache g++' } : {};
  const result = await run(process.execPath, [nodeGyp(), 'rebuild', '--release', `--nodedir=${nodedir}`], {
    cwd: folder,
    // npm's own setting would override the option.
    env: { JOBS: 'max', npm_config_nodedir: nodedir, ...cached },
  });
  if (result.code !== 0 || !existsSync(built))
    throw new Failure(`better-sqlite3 was not compiled for Node ${NODES[abi]}:\n${tail(result.stderr, 20)}`);
  if (!isBuiltFor(built, abi))
    throw new Failure(`${built} was compiled with the headers of another Node than ${NODES[abi]}`);
  return built;
}

export const isBuiltFor = (path, abi) => readFileSync(path).includes(`node_register_module_v${abi}\0`);

async function headersOf(abi, work, log) {
  const own = nodeHeaders();
  if (abi === process.versions.modules && own) return own;
  const spec = `node-${process.platform}-${process.arch}@${NODES[abi]}`;
  const folder = join(work, spec);
  if (existsSync(join(folder, 'include/node/node_version.h'))) return folder;
  log(`database: fetching the headers of Node ${NODES[abi]}`);
  mkdirSync(folder, { recursive: true });
  const packed = await run('npm', ['pack', spec, '--silent', '--pack-destination', folder]);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  const inside = ['-C', folder, '--strip-components=1', 'package/include'];
  if (!archive || (await run('tar', ['-xzf', join(folder, archive), ...inside])).code !== 0)
    throw new Failure(`${spec} cannot be fetched:\n${tail(packed.stderr, 5)}`);
  rmSync(join(folder, archive));
  return folder;
}

function nodeGyp() {
  const npm = onPath('npm');
  const path = npm && join(dirname(realpathSync(npm)), '../node_modules/node-gyp/bin/node-gyp.js');
  if (!path || !existsSync(path)) throw new Failure('node-gyp is missing; it comes with npm');
  return path;
}

export const onPath = (name) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
