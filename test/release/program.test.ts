import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { root } from '../running-server.ts';

const { NODES } = (await import(`${root}/scripts/release/nodes.mjs`)) as { NODES: Record<string, string> };
const ENGINE = `node_modules/@trunkline/engine-${process.platform}-${process.arch}-gnu`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'program-'));
  cpSync(join(root, 'scripts/setup'), join(folder, 'scripts/setup'), { recursive: true });
  cpSync(join(root, 'scripts/release/files/trunkline.mjs'), join(folder, 'bin/trunkline.mjs'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function installEngine(interfaces: readonly string[]) {
  mkdirSync(join(folder, ENGINE), { recursive: true });
  writeFileSync(join(folder, ENGINE, 'package.json'), '{}');
  for (const number of interfaces) writeFileSync(join(folder, ENGINE, `better_sqlite3_${number}.node`), '');
}

const serve = () => {
  const done = spawnSync(process.execPath, ['bin/trunkline.mjs', 'serve'], { cwd: folder, encoding: 'utf8' });
  return { code: done.status, error: done.stderr };
};

it('names the versions of Node that the engine is compiled for, before it fetches models', () => {
  installEngine(['108']);
  const { code, error } = serve();
  expect(code).toBe(1);
  const [last, ...others] = Object.values(NODES)
    .map((version) => Number.parseInt(version, 10))
    .reverse();
  expect(error).toContain(`is compiled for Node ${others.reverse().join(', ')} and ${last}; this is Node`);
  expect(error).toContain(`this is Node ${process.versions.node}\n`);
});

it('names the engine that is not installed', () => {
  expect(serve()).toMatchObject({ code: 1, error: expect.stringContaining('there is no engine') });
});

it('goes on to the models with an engine for this Node', () => {
  installEngine([process.versions.modules]);
  expect(serve().error).toContain('scripts/models/fetch.mjs');
});
