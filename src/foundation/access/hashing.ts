import { Worker } from 'node:worker_threads';
import type { Options } from '@node-rs/argon2';
import { compiledProgram } from '../platform/project-root.ts';
import type { HashAnswer, HashTask } from './hashing-worker.ts';

const PROGRAM = compiledProgram(import.meta.url, 'foundation/access', 'hashing-worker.js');
/** A sign-in on a busy machine took 30 seconds at niceness 15. At 10 a flood of sign-ins takes a fifth of a core. */
const NICENESS = 10;

class HashingThread {
  readonly #worker = new Worker(PROGRAM, { workerData: { niceness: NICENESS }, execArgv: [] });
  readonly #waiting: { resolve(value: string | boolean): void; reject(error: Error): void }[] = [];
  ended = false;

  constructor() {
    this.#worker.on('message', (answer: HashAnswer) => {
      const asked = this.#waiting.shift();
      if ('failed' in answer) asked?.reject(new Error(answer.failed));
      else asked?.resolve(answer.value);
      if (this.#waiting.length === 0) this.#worker.unref();
    });
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('the worker thread that hashes passwords has ended')));
    this.#worker.unref();
  }

  ask(task: HashTask): Promise<string | boolean> {
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(task);
    });
  }

  #end(error: Error): void {
    this.ended = true;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

let thread: HashingThread | null = null;

function ask(task: HashTask): Promise<string | boolean> {
  if (thread === null || thread.ended) thread = new HashingThread();
  return thread.ask(task);
}

export const hashInThread = async (password: string, cost: Options): Promise<string> =>
  (await ask({ kind: 'hash', password, cost })) as string;

export const verifyInThread = async (password: string, stored: string): Promise<boolean> =>
  (await ask({ kind: 'verify', password, stored })) as boolean;
