// Builds the benchmarks and runs one of them (`node bench/run.mjs bench/kernels/dsp.ts [--json FILE]`), or, with no
// program named, every `bench:*` script of package.json one after another (`npm run bench -- [--json FILE]`).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

function run(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

/** The compiled sources look for the addon and the manifest beside them, as dist/ does. */
function linkIn(name) {
  const link = join(root, 'dist-bench', name);
  if (!existsSync(link)) symlinkSync(join('..', name), link);
}

function runOne(source, args) {
  const built = run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.bench.json']);
  if (built !== 0) return built;
  for (const name of ['lib', 'models']) linkIn(name);
  return run(process.execPath, [
    '--enable-source-maps',
    `dist-bench/${source.replace(/\.ts$/, '.js')}`,
    ...args,
  ]);
}

/** Runs all benchmarks even if one fails, and joins their figures into one file. */
function runAll(args) {
  const scripts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts;
  const names = Object.keys(scripts).filter((name) => name.startsWith('bench:'));
  const jsonAt = args.indexOf('--json');
  const jsonFile = jsonAt >= 0 ? args[jsonAt + 1] : undefined;
  const rest = jsonAt >= 0 ? args.toSpliced(jsonAt, 2) : args;
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const failed = [];
  const joined = { machine: null, figures: [] };
  for (const name of names) {
    console.log(`\n== ${name}`);
    const part = join(folder, `${name.slice('bench:'.length)}.json`);
    if (run('npm', ['run', '--silent', name, '--', '--json', part, ...rest]) !== 0) {
      failed.push(name);
      continue;
    }
    const { machine, figures } = JSON.parse(readFileSync(part, 'utf8'));
    joined.machine ??= machine;
    joined.figures.push(
      ...figures.map((figure) => ({ ...figure, name: `${name.slice(6)}: ${figure.name}` })),
    );
  }
  rmSync(folder, { recursive: true });
  if (jsonFile) writeFileSync(jsonFile, `${JSON.stringify(joined, null, 2)}\n`);
  const missed = joined.figures.filter((figure) => figure.holds === false);
  for (const figure of missed)
    console.log(`goal missed: ${figure.name}: ${figure.value} ${figure.unit}, ${figure.goal}`);
  console.log(
    `${names.length - failed.length} benchmarks ran, ${failed.length} failed${failed.map((n) => ` ${n}`)}`,
  );
  return failed.length === 0 ? 0 : 1;
}

const [first, ...rest] = process.argv.slice(2);
process.exitCode =
  first === undefined || first.startsWith('--') ? runAll(process.argv.slice(2)) : runOne(first, rest);
