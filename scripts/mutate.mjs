#!/usr/bin/env node
/**
 * Puts random faults into the source, one at a time, and tells which of them the module's own tests notice.
 *
 *   node scripts/mutate.mjs [--seed 1] [--count 20] [--root .] [--list] [--only 3,7]
 *
 * The same seed gives the same faults while the source stays the same. The file is restored after each fault, and when
 * the program is interrupted.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { faultsIn } from './mutate/faults.mjs';
import { generatorOf } from './mutate/random.mjs';

const AREAS = {
  session: { sources: ['src/conversation/session'], tests: ['test/conversation/session'] },
  billing: { sources: ['src/foundation/billing'], tests: ['test/foundation/billing'] },
  calls: {
    sources: ['src/conversation/calls'],
    tests: ['test/conversation/calls', 'test/edge/surfaces/omni'],
  },
  access: {
    sources: ['src/foundation/access'],
    tests: [
      'test/foundation/access',
      'test/edge/surfaces/account',
      'test/foundation/privacy/tenant-deletion.test.ts',
    ],
  },
  tenancy: {
    sources: [
      'src/foundation/storage/tenant-isolation.ts',
      ...['requirement-checks', 'roles', 'projects', 'scopes', 'tenant-deactivation'].map(
        (name) => `src/foundation/access/${name}.ts`,
      ),
    ],
    tests: [
      'test/foundation/privacy/tenant-deletion.test.ts',
      'test/foundation/storage/tenant-isolation.test.ts',
      'test/foundation/access',
      'test/edge/surfaces/account',
    ],
  },
  'URL gate': { sources: ['src/foundation/platform/url-gate'], tests: ['test/foundation/platform/url-gate'] },
  carriers: { sources: ['src/telephony/carriers'], tests: ['test/telephony/carriers'] },
};
/** A run of one module's tests that takes longer stands still. */
const LIMIT_MS = 500_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '20' },
    root: { type: 'string', default: '.' },
    list: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
process.chdir(values.root);

const filesUnder = (path) =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { withFileTypes: true }).flatMap((entry) => filesUnder(join(path, entry.name)));

function chosenFaults() {
  const next = generatorOf(Number(values.seed));
  const names = Object.keys(AREAS);
  const pick = (list) => list[Math.floor(next() * list.length)];
  return Array.from({ length: Number(values.count) }, (_, at) => {
    const area = names[at % names.length];
    const found = AREAS[area].sources
      .flatMap(filesUnder)
      .filter((path) => path.endsWith('.ts') && !path.endsWith('/index.ts') && !path.endsWith('contract.ts'))
      .flatMap((path) => faultsIn(readFileSync(path, 'utf8')).map((fault) => ({ path, ...fault })));
    const kind = pick([...new Set(found.map((fault) => fault.kind))]);
    return { area, ...pick(found.filter((fault) => fault.kind === kind)) };
  });
}

/** The tests that name the file are run first, because most faults fail there. */
function testsOf({ area, path }) {
  const all = AREAS[area].tests.flatMap(filesUnder).filter((file) => file.endsWith('.test.ts'));
  const stem = path.replace(/^.*\//, '').replace(/\.ts$/, '');
  const close = all.filter(
    (file) => file.includes(stem) || readFileSync(file, 'utf8').includes(`/${stem}.ts`),
  );
  return [close, all.filter((file) => !close.includes(file))].filter((files) => files.length > 0);
}

function isNoticed(fault) {
  const types = fault.kind === 'swapped arguments';
  if (
    types &&
    spawnSync('npx', ['tsc', '-p', 'tsconfig.test.json', '--noEmit'], { stdio: 'ignore' }).status !== 0
  )
    return 'noticed (types)';
  for (const files of testsOf(fault)) {
    const { status, error, stdout, stderr } = spawnSync(
      'npx',
      ['vitest', 'run', ...files, '--maxWorkers=1', '--bail=1', '--reporter=dot', '--no-color'],
      { encoding: 'utf8', timeout: LIMIT_MS, stdio: 'pipe' },
    );
    // A fault that makes a test wait for ever is noticed too.
    if (error !== undefined) return 'noticed (stands still)';
    if (status !== 0)
      return `noticed by ${/FAIL.*?(test\/\S+)/.exec(stdout + stderr)?.[1] ?? 'a file that fails'}`;
  }
  return null;
}

const only = values.only === undefined ? null : new Set(values.only.split(',').map(Number));
let restore = () => undefined;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    restore();
    process.exit(1);
  });

let unnoticed = 0;
for (const [at, fault] of chosenFaults().entries()) {
  if (only !== null && !only.has(at + 1)) continue;
  const { area, path, line, kind, before, after } = fault;
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n');
  lines[line - 1] = after;
  let verdict = 'listed';
  if (!values.list) {
    restore = () => writeFileSync(path, text);
    writeFileSync(path, lines.join('\n'));
    const noticed = isNoticed(fault);
    restore();
    if (noticed === null) unnoticed++;
    verdict = noticed ?? 'NOT NOTICED';
  }
  const where = `${relative('src', path)}:${line}`;
  console.log(
    `| ${at + 1} | ${area} | ${where} | ${kind} | \`${before.trim()}\` → \`${after.trim()}\` | ${verdict} |`,
  );
}
process.exit(unnoticed > 0 ? 1 : 0);
