import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface PythonPeer {
  /** The name that errors and progress show. */
  readonly name: string;
  /** The folder under `bench/` with requirements.txt and the program. */
  readonly folder: string;
  readonly program: string;
}

function run(command: string, args: readonly string[]): void {
  const done = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

/** Installs the peer's packages once, in an environment of their own. */
function installed({ name, folder }: PythonPeer): string {
  const home = join(process.cwd(), 'build-bench', folder, 'venv');
  const python = join(home, 'bin/python');
  if (existsSync(join(home, 'whole'))) return python;
  rmSync(home, { recursive: true, force: true });
  console.log(`  installing ${name}`);
  run('python3', ['-m', 'venv', home]);
  const quiet = ['--quiet', '--disable-pip-version-check'];
  const requirements = join(process.cwd(), 'bench', folder, 'requirements.txt');
  run(join(home, 'bin/pip'), ['install', ...quiet, '-r', requirements]);
  mkdirSync(join(home, 'whole'));
  return python;
}

/** Gives the program the input as JSON, and returns the lines that it writes. */
export function askPython(peer: PythonPeer, input: unknown): string[] {
  const program = join(process.cwd(), 'bench', peer.folder, peer.program);
  const { status, stdout, stderr } = spawnSync(installed(peer), [program], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`${peer.name}: ${stderr}`);
  return stdout.trim().split('\n');
}
