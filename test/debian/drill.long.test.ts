// @requirement Guides: An upgrade, a rollback and a restore follow the guide.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { buildProgram } from '../../scripts/debian/build.mjs';
import { unsaidIn } from '../docs/expected-output.ts';
import { type Block, readGuide } from '../docs/guide.ts';
import { followed } from '../docs/session.ts';
import { long, longForm } from '../long-tests.ts';
import { absent } from '../media/codec/recordings.ts';
import { root } from '../running-server.ts';
import { Machine, noBuild, noMachine } from './machine.ts';

const runsHere = noBuild === '' && noMachine === '' && !absent;
const isBuild = ({ text }: Block): boolean => text.includes('scripts/debian-package.mjs');
const architecture = () => spawnSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).stdout.trim();

describe.skipIf(!long || !runsHere)(longForm('an owner who follows appliance.md'), () => {
  let machine: Machine;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'appliance-'));
    machine = await Machine.boot();
  }, 60_000);
  afterAll(async () => {
    await machine?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('installs, upgrades, rolls back, backs up and restores', { timeout: 1_800_000 }, async () => {
    const { prose, blocks } = readGuide('appliance.md');
    const [builds, rest] = [blocks.filter(isBuild), blocks.filter((block) => !isBuild(block))];
    expect(builds).toHaveLength(1);
    await followed({ prose, blocks: builds }, { cwd: machine.given, env: {} });
    await buildProgram(root, machine.given, '0.2.0');
    const here = rest.map((block) => ({
      ...block,
      text: block.text.replaceAll('_amd64', `_${architecture()}`),
    }));
    const guide = { prose, blocks: here };
    const said = await followed(guide, {
      cwd: '/',
      env: machine.environment,
      through: machine.through('/mnt'),
    });
    expect(unsaidIn(guide, said)).toBeUndefined();
    const journal = machine.run('journalctl --unit trunkline --output cat --no-pager');
    expect(journal).not.toMatch(/"level":"(error|fatal)"/);
    expect(journal).not.toMatch(/Failed with result|Main process exited/);
  });
});
