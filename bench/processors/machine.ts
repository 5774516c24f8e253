/**
 * Measures the peak of this machine, and what the inference library does with each level, to check that a level takes
 * effect.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNative } from '../harness/index.ts';
import { type Level, levelEnvironment } from './levels.ts';

export interface Peak {
  readonly name: string;
  readonly threads: number;
  readonly rate: number;
}

export interface Products {
  readonly floats: number;
  readonly bytes: number;
}

export interface MachineData {
  readonly peaks: readonly Peak[];
  readonly library: Partial<Record<Level, Products>>;
}

export async function measureMachine(levels: readonly Level[], quick: boolean): Promise<MachineData> {
  const folder = 'build-bench/processors';
  mkdirSync(folder, { recursive: true });
  const program = join(folder, 'peak');
  execFileSync('c++', ['-O2', '-std=c++20', '-pthread', '-o', program, 'bench/processors/peak.cc'], {
    stdio: 'inherit',
  });
  const peaks = runNative<Peak>(program, [quick ? '0.1' : '2']);
  const library = Object.fromEntries(levels.map((level) => [level, productsAt(level)]));
  return { peaks, library };
}

/** onnxruntime-node takes a copy that is already loaded instead of its own. */
function productsAt(level: Level): Products {
  const program = fileURLToPath(new URL(`./products${extname(import.meta.url)}`, import.meta.url));
  const copy = levelEnvironment(level).TRUNKLINE_ORT_LIBRARY;
  const env = { ...process.env, ...(copy === undefined ? {} : { LD_PRELOAD: copy }) };
  const done = spawnSync(process.execPath, [...process.execArgv, program], { env, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`products at ${level}: ${done.stderr}`);
  return JSON.parse(done.stdout) as Products;
}
