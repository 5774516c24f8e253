import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface Span {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

const home = join(process.cwd(), 'build-bench/trace/venv');
const file = (name: string) => join(process.cwd(), 'bench/trace', name);

function run(command: string, args: readonly string[]): void {
  const done = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

function prepare(): string {
  const python = join(home, 'bin/python');
  if (existsSync(join(home, 'whole'))) return python;
  rmSync(home, { recursive: true, force: true });
  console.log('  installing Presidio');
  run('python3', ['-m', 'venv', home]);
  const quiet = ['--quiet', '--disable-pip-version-check'];
  run(join(home, 'bin/pip'), ['install', ...quiet, '-r', file('requirements.txt')]);
  mkdirSync(join(home, 'whole'));
  return python;
}

export function presidio(
  all: readonly { readonly text: string; readonly language: string; readonly names?: boolean }[],
): Span[][] {
  const done = spawnSync(prepare(), [file('presidio.py')], {
    input: JSON.stringify(all.map(({ text, language, names }) => ({ text, language, names }))),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (done.status !== 0) throw new Error(`Presidio: ${done.stderr}`);
  const lines = done.stdout.trim().split('\n');
  return lines.map((line) =>
    (JSON.parse(line) as [string, number, number][]).map(([type, start, end]) => ({ type, start, end })),
  );
}
