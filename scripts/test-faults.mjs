#!/usr/bin/env node
/**
 * npm run test:faults: runs the fault suite (test/faults, and a killed call), in the short form that `npm test` runs.
 *
 *   npm run test:faults [-- --long] [-- FILTER…]
 *
 * FILTER: only the files of the suite whose path contains it. --long: more rounds and more peers, one file after
 * another, because parallel servers that each load every model would exceed their timeouts.
 */
import { parseArgs } from 'node:util';
import { runMain } from './setup/failure.mjs';
import { root, setUp } from './setup.mjs';
import { vitestTests } from './tests/vitest.mjs';

await runMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { long: { type: 'boolean', default: false } },
  });
  await setUp();
  if (values.long) process.env.TRUNKLINE_TEST_FAULTS = 'long';
  const filters =
    positionals.length > 0
      ? positionals.map((name) => `test/faults/${name}`)
      : ['test/faults/', 'test/edge/surfaces/omni/server-killed.long.test.ts'];
  const order = values.long ? ['--no-file-parallelism'] : [];
  const { passed, failed, skipped, output, notes } = await vitestTests(root, [...order, ...filters]);
  for (const text of [output, notes]) if (text) console.log(text.trimEnd());
  if (skipped > 0) console.log(`${skipped} skipped`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});
