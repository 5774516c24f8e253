import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Spoken } from './speakers.ts';

/** Shares of the speech, as pyannote.metrics counts them with a collar of 0.25 s. */
export interface PyannoteErrors {
  readonly der: number;
  readonly missed: number;
  readonly falseAlarm: number;
  readonly confusion: number;
}

export interface Scored {
  readonly reference: readonly Spoken[];
  readonly hypothesis: readonly Spoken[];
}

interface Errors {
  readonly own: readonly (PyannoteErrors | null)[];
  readonly peer: readonly (PyannoteErrors | null)[];
}

/**
 * Returns the diarization error rate of each file by pyannote.metrics, ours and the peer's. TRUNKLINE_BENCH_PYTHON
 * names a Python with pyannote.metrics and the packages of the peer; without it, nothing is scored.
 */
export async function diarizationErrors(folder: string, files: readonly Scored[]): Promise<Errors> {
  const python = process.env.TRUNKLINE_BENCH_PYTHON;
  if (!python) {
    console.warn(
      'diarization error rates are not measured: set TRUNKLINE_BENCH_PYTHON to a Python with pyannote.metrics',
    );
    return { own: [], peer: [] };
  }
  const input = join(folder, 'files.json');
  const output = join(folder, 'errors.json');
  writeFileSync(input, JSON.stringify(files));
  await new Promise<void>((resolve, reject) => {
    const scorer = spawn(python, ['bench/jobs/diarization-errors.py', folder], { stdio: 'inherit' });
    scorer.once('error', reject);
    scorer.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`the scorer ended with ${code}`)),
    );
  });
  return JSON.parse(readFileSync(output, 'utf8')) as Errors;
}
