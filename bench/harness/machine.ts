import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';

export interface Machine {
  cpu: string;
  cores: number;
  features: string[];
  memory_gb: number;
  os: string;
  node: string;
  load: number;
  commit: string | null;
  date: string;
}

const FEATURES = ['avx2', 'fma', 'avx512f', 'avx512bw', 'avx512_vnni', 'amx_int8', 'asimd', 'asimddp'];

export function describeMachine(now: Date = new Date()): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    features: cpuFeatures(),
    memory_gb: Math.round(totalmem() / 2 ** 30),
    os: `${type()} ${release().split('.').slice(0, 2).join('.')}`,
    node: process.version,
    load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    commit: commit(),
    date: now.toISOString().slice(0, 10),
  };
}

function cpuFeatures(): string[] {
  let text: string;
  try {
    text = readFileSync('/proc/cpuinfo', 'utf8');
  } catch {
    return [];
  }
  const line = /^(?:flags|Features)\s*:\s*(.*)$/m.exec(text);
  const have = new Set(line?.[1]?.split(' ') ?? []);
  return FEATURES.filter((name) => have.has(name));
}

function commit(): string | null {
  try {
    const id = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
    // A report that has just been written does not affect the next measurement.
    const changes = [
      'status',
      '--porcelain',
      '--untracked-files=no',
      '--',
      ':/',
      ':(top,exclude)bench/reports',
    ];
    const dirty = execFileSync('git', changes, { encoding: 'utf8' });
    return dirty.trim() === '' ? id : `${id} (modified)`;
  } catch {
    return null;
  }
}
