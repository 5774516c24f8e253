import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { codeOnHugePages } from '../../../src/media/engine/index.ts';
import { itWhere } from '../../long-tests.ts';

const run = promisify(execFile);
const MIB = 1024 * 1024;

/**
 * The code moves in a separate process, so that this one stays as it is; the program prints its memory maps
 * afterwards.
 */
const PROGRAM = `
  const { createRequire } = require('node:module');
  const { readFileSync } = require('node:fs');
  const addon = createRequire('/')(process.argv[1]);
  const busy = setInterval(() => JSON.parse(JSON.stringify({ some: [1, 2, 3] })), 1);
  const moved = [addon.codeOnHugePages(), addon.codeOnHugePages()];
  setTimeout(() => {
    clearInterval(busy);
    const [place] = readFileSync('/proc/self/smaps', 'utf8')
      .split(/\\n(?=[0-9a-f]+-[0-9a-f]+ )/)
      .filter((area) => / r-xp /.test(area) && Number(/Size: +(\\d+)/.exec(area)[1]) * 1024 === moved[0]);
    const huge = place ? Number(/AnonHugePages: +(\\d+)/.exec(place)[1]) * 1024 : 0;
    console.log(JSON.stringify({ moved, huge, file: place?.split('\\n')[0].includes('node') }));
  }, 50);
`;

const gives = () => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return false;
  // Node's code is in a shared library there, which does not move.
  if ((process.config.variables as { node_shared?: boolean }).node_shared) return false;
  return !readFileSync('/sys/kernel/mm/transparent_hugepage/enabled', 'utf8').includes('[never]');
};

describe('code on huge pages', () => {
  itWhere(gives())('is moved once, to memory of huge pages, while the program runs on', async () => {
    const addon = new URL('../../../lib/binding/trunkline.node', import.meta.url).pathname;
    const { stdout } = await run(process.execPath, ['-e', PROGRAM, addon]);
    const { moved, huge, file } = JSON.parse(stdout) as { moved: number[]; huge: number; file: boolean };
    expect(moved[0]).toBeGreaterThan(8 * MIB);
    expect(moved[1]).toBe(moved[0]);
    expect(file).toBe(false);
    expect(huge).toBeGreaterThan(0);
  });

  itWhere(!gives())('stays where it is where the system has no huge pages', () => {
    expect(codeOnHugePages()).toBe(0);
  });
});
