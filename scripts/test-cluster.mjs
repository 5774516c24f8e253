#!/usr/bin/env node
/**
 * npm run test:cluster: runs nodes on PostgreSQL, Redis and an S3 server behind a load balancer, and kills, freezes or
 * drains one of them.
 *
 *   npm run test:cluster [-- FILTER…]
 *
 * FILTER: only the files of the suite whose path contains it.
 */
import { parseArgs } from 'node:util';
import { runMain } from './setup/failure.mjs';
import { root, setUp } from './setup.mjs';
import { vitestTests } from './tests/vitest.mjs';

await runMain(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  await setUp();
  const filters =
    positionals.length > 0 ? positionals.map((name) => `test/cluster/${name}`) : ['test/cluster/'];
  const { passed, failed, skipped, output, notes } = await vitestTests(root, [
    '--no-file-parallelism',
    ...filters,
  ]);
  for (const text of [output, notes]) if (text) console.log(text.trimEnd());
  if (skipped > 0) console.log(`${skipped} skipped`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});
