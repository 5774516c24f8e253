import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export type Sample =
  | { readonly model: 'dnsmos' | 'plcmos'; readonly file: string }
  | {
      readonly model: 'aecmos';
      readonly lpb: string;
      readonly mic: string;
      readonly enh: string;
      /** The far end alone speaks, or both ends do. */
      readonly talk: 'st' | 'dt';
    };

export type Scores = Readonly<Record<string, number>>;

const home = join(process.cwd(), 'build-bench/sound-quality/venv');
const file = (name: string) => join(process.cwd(), 'bench/sound-quality', name);

function run(command: string, args: readonly string[]): void {
  const done = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

function python(): string {
  const program = join(home, 'bin/python');
  if (existsSync(join(home, 'whole'))) return program;
  rmSync(home, { recursive: true, force: true });
  console.log('  installing speechmos');
  run('python3', ['-m', 'venv', home]);
  const quiet = ['--quiet', '--disable-pip-version-check'];
  run(join(home, 'bin/pip'), ['install', ...quiet, '-r', file('requirements.txt')]);
  mkdirSync(join(home, 'whole'));
  return program;
}

/** Returns what the models of `speechmos` give each sample, from 1 to 5, in order. */
export function scored(samples: readonly Sample[]): Scores[] {
  const { status, stdout, stderr } = spawnSync(python(), [file('score.py')], {
    input: JSON.stringify(samples),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`speechmos: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) as string) as Scores[];
}
