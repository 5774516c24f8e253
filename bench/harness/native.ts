import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function runNative<Line>(program: string, args: readonly string[] = []): Line[] {
  const result = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (result.error) throw new Error(`${program} does not start: ${result.error.message}`);
  if (result.status !== 0) throw new Error(`${program} ended with ${result.status ?? result.signal}`);
  return result.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
}

export function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;
}

/**
 * Instructions that `program` executes inside functions whose name holds `within` (all of it where `within` is
 * absent), counted by callgrind: the same on a noisy machine as on a quiet one. Null where valgrind is missing or
 * does not know the program's instructions (valgrind has no AVX-512).
 */
export function countInstructions(program: string, args: readonly string[], within?: string): number | null {
  if (!hasProgram('valgrind')) return null;
  const folder = mkdtempSync(join(tmpdir(), 'callgrind-'));
  const file = join(folder, 'out');
  try {
    const toggle = within ? [`--toggle-collect=*${within}*`] : [];
    const flags = ['--tool=callgrind', `--callgrind-out-file=${file}`, ...toggle];
    const result = spawnSync('valgrind', [...flags, program, ...args], { stdio: 'ignore' });
    if (result.status !== 0) return null;
    return totalFromCallgrind(readFileSync(file, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function totalFromCallgrind(text: string): number | null {
  const line = /^(?:totals|summary):\s*(\d+)/m.exec(text);
  return line ? Number(line[1]) : null;
}
