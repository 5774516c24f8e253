import { Worker } from 'node:worker_threads';
import { compiledProgram } from '../../foundation/platform/project-root.ts';
import { type Suite, SuiteError } from './suite.ts';
import type { SuiteWorkerMessage } from './suite-worker.ts';

const PROGRAM = compiledProgram(import.meta.url, 'apps/testkit', 'suite-worker.js');
const READ_MS = 2000;
const BEGIN_MS = 20_000;
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** Parses an untrusted suite in a worker thread with bounded time and memory. Throws SuiteError. */
export async function readSuiteInWorker(yaml: string): Promise<Suite> {
  const worker = new Worker(PROGRAM, { workerData: yaml, execArgv: [], env: {}, resourceLimits: LIMITS });
  try {
    return JSON.parse(await readBy(worker)) as Suite;
  } finally {
    await worker.terminate();
  }
}

function readBy(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    const refuse = (message: string) => reject(new SuiteError(`suite: ${message}`));
    const late = () => refuse(`reading takes more than ${READ_MS / 1000} s`);
    let timer = setTimeout(late, BEGIN_MS);
    worker.on('message', (message: SuiteWorkerMessage) => {
      clearTimeout(timer);
      if (message.kind === 'begins') timer = setTimeout(late, READ_MS);
      else if (message.kind === 'read') resolve(message.json);
      else reject(new SuiteError(message.message));
    });
    worker.on('error', () => refuse('reading needs more memory than the limit'));
    worker.on('exit', () => {
      clearTimeout(timer);
      refuse('cannot be read');
    });
  });
}
