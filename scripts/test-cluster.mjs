#!/usr/bin/env node
/**
 * npm run test:cluster: runs nodes on PostgreSQL, Redis and an S3 server behind a load balancer, and kills, freezes or
 * drains one of them.
 *
 *   npm run test:cluster [-- FILTER…]
 *   npm run test:cluster -- --long [--calls N] [--faults NAME,…] [--json FILE] [haproxy | nginx]
 *
 * FILTER: only the files of the suite whose path contains it. The long form has three nodes, a standby of the database
 * and more faults; it writes bench/reports/cluster.md, unless faults are chosen, such as `--faults kill,kill`.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { Failure, runMain } from './setup/failure.mjs';
import { root, setUp } from './setup.mjs';
import { vitestTests } from './tests/vitest.mjs';

const BALANCERS = ['haproxy', 'nginx'];

function runLong({ calls, faults, json }, parts) {
  const wrong = parts.find((part) => !BALANCERS.includes(part));
  if (wrong !== undefined) throw new Failure(`there is no balancer ${wrong}: say haproxy or nginx`);
  if (!/^[1-9]\d*$/.test(calls)) throw new Failure('--calls takes a number of calls, such as --calls 4');
  const args = ['bench/run.mjs', 'cluster', ...parts, ...(json === undefined ? [] : ['--json', json])];
  const env = { ...process.env, TRUNKLINE_BENCH_CALLS: calls };
  if (faults !== undefined) {
    args.push('--quick');
    env.TRUNKLINE_BENCH_FAULTS = faults;
  }
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1;
}

await runMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      long: { type: 'boolean', default: false },
      calls: { type: 'string', default: '20' },
      faults: { type: 'string' },
      json: { type: 'string' },
    },
  });
  await setUp();
  if (values.long) return runLong(values, positionals);
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
