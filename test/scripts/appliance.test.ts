import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { recipePackages } from '../../scripts/models/recipes.mjs';
// @ts-expect-error scripts are plain JavaScript
import { nodeServes } from '../../scripts/setup/tools.mjs';

const root = join(import.meta.dirname, '../..');

describe('the packages that recipes run with, on a machine without a network', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'appliance-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const requirements = (text: string) => {
    const file = join(folder, 'requirements.txt');
    writeFileSync(file, text);
    return file;
  };
  const wheel = () => {
    const program = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + '/plainwheel-1.0-py3-none-any.whl', 'w') as z:
    z.writestr('plainwheel.py', 'answer = 42')
    z.writestr('plainwheel-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: plainwheel\\nVersion: 1.0\\n')
    z.writestr('plainwheel-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    z.writestr('plainwheel-1.0.dist-info/RECORD', '')
`;
    expect(spawnSync('python3', ['-c', program, folder]).status).toBe(0);
  };

  it('come from the folder alone', async () => {
    wheel();
    const options = { from: folder, requirements: requirements('plainwheel==1.0\n') };
    const installed = await recipePackages(join(folder, 'cache'), () => {}, options);
    expect(readFileSync(join(installed, 'plainwheel.py'), 'utf8')).toBe('answer = 42');
    expect(await recipePackages(join(folder, 'cache'), () => {}, options)).toBe(installed);
  }, 60_000);

  it('are named, with the command that fetches them, where the folder lacks them', async () => {
    const options = { from: folder, requirements: requirements('typing_extensions==4.12.2\n') };
    const failed = await recipePackages(join(folder, 'cache'), () => {}, options).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({
      message: expect.stringContaining('typing_extensions'),
      mend: expect.stringContaining('pip download -r models/recipes/requirements.txt'),
    });
    expect(existsSync(join(folder, 'cache/.python'))).toBe(true);
  }, 60_000);
});

describe('the versions of Node that are taken', () => {
  it.each([
    ['20.9.0', false],
    ['20.18.3', false],
    ['20.19.0', true],
    ['21.7.3', false],
    ['22.11.0', false],
    ['22.12.0', true],
    ['24.0.0', true],
  ])('%s: %s', (version, taken) => {
    expect(nodeServes(version)).toBe(taken);
  });

  it('are no more than what builds the project takes', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(engines.node).toBe(lock.packages['node_modules/rolldown'].engines.node);
  });
});
