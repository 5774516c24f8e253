/**
 * The versions of Node that a release serves, by the number of their interface for compiled files. Each comes whole,
 * with its program and its headers, from the npm package of that version.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Failure } from '../setup/failure.mjs';
import { run, tail } from '../setup/run.mjs';

export const NODES = { 115: '20.20.2', 127: '22.23.5', 137: '24.22.3' };

export async function nodeFolder(abi, work, log, arch = process.arch) {
  const spec = `node-${process.platform}-${arch}@${NODES[abi]}`;
  const folder = join(work, spec);
  const inside = ['package/bin', 'package/include'];
  if (existsSync(join(folder, 'bin/node')) && existsSync(join(folder, 'include/node/node_version.h')))
    return folder;
  log(`node: fetching Node ${NODES[abi]} for ${arch}`);
  mkdirSync(folder, { recursive: true });
  const packed = await run('npm', ['pack', spec, '--silent', '--pack-destination', folder]);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  const into = ['-C', folder, '--strip-components=1', ...inside];
  if (!archive || (await run('tar', ['-xzf', join(folder, archive), ...into])).code !== 0)
    throw new Failure(`${spec} cannot be fetched:\n${tail(packed.stderr, 5)}`);
  rmSync(join(folder, archive));
  return folder;
}

/** The program of a Node: this process for its own interface, without a fetch. */
export const nodeProgram = async (abi, work, log) =>
  String(abi) === process.versions.modules
    ? process.execPath
    : join(await nodeFolder(abi, work, log), 'bin/node');

export const onPath = (name) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
