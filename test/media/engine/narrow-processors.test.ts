import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { levelEnvironment, levelsHere } from '../../../bench/processors/levels.ts';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { inferenceLibrary, speechSettings } from '../../../src/media/engine/index.ts';

const fixture = fileURLToPath(new URL('fixtures/kinds.mjs', import.meta.url));

/** The inference library rewrites graphs for processors without VNNI: a graph that opens here may not open there. */
describe('the graphs of every kind open', () => {
  it.each(levelsHere())('on a processor that has %s at most', async (level) => {
    const held = levelEnvironment(level);
    const options = {
      slots: 1,
      inferenceThreads: 2,
      library: held.TRUNKLINE_ORT_LIBRARY ?? inferenceLibrary(),
      models: new Models().wholeFiles(),
      settings: speechSettings(tmpdir()),
    };
    const env = { ...process.env, ...held };
    const args = [fixture, JSON.stringify(options)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    const { opened, failed } = JSON.parse(stdout) as { opened: number; failed: unknown[] };
    expect(failed).toEqual([]);
    expect(opened).toBeGreaterThan(5);
  });
});
