import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = 'build-bench';

export function buildPrograms(names: readonly string[]): Record<string, string> {
  const generator = hasNinja() ? ['-G', 'Ninja'] : [];
  run('cmake', ['-S', 'native', '-B', FOLDER, ...generator, '-DTRUNKLINE_ADDON=OFF', '-DTRUNKLINE_BENCH=ON']);
  const targets = names.flatMap((name) => ['--target', `bench_${name}`]);
  run('cmake', ['--build', FOLDER, '--parallel', '2', ...targets]);
  return Object.fromEntries(
    names.map((name) => {
      const program = resolve(join(FOLDER, `bench_${name}`));
      if (!existsSync(program)) throw new Error(`the build left no ${program}`);
      return [name, program];
    }),
  );
}

function hasNinja(): boolean {
  return spawnSync('ninja', ['--version'], { stdio: 'ignore' }).status === 0;
}

function run(command: string, args: readonly string[]): void {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (result.error) throw new Error(`${command} does not start: ${result.error.message}`);
  if (result.status !== 0) throw new Error(`${command} failed:\n${result.stdout}\n${result.stderr}`);
}
