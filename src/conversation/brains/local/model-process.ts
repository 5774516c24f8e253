import { type ChildProcess, fork } from 'node:child_process';
import { compiledProgram } from '../../../foundation/platform/project-root.ts';
import type { FromWorker } from './protocol.ts';
import { runtimeEntry } from './runtime.ts';

/** The compiled program is used even where this file runs from source. */
const WORKER = compiledProgram(import.meta.url, 'conversation/brains/local', 'worker.js');

const STDERR_CHARACTERS = 500;

const CALLS = 4;

/** Other environment variables may hold keys and passwords. */
const PASSED_ON = ['PATH', 'HOME', 'LD_LIBRARY_PATH', 'CUDA_VISIBLE_DEVICES', 'TMPDIR', 'SystemRoot'];

export interface ModelProcessOptions {
  readonly model: string;
  readonly runtimeDir: string;
  readonly calls?: number;
  readonly worker?: string;
}

export interface ModelProcessListener {
  message(message: FromWorker): void;
  ended(reason: string, wasReady: boolean): void;
}

export function startModelProcess(
  options: ModelProcessOptions,
  listener: ModelProcessListener,
): ChildProcess {
  const { model, runtimeDir, calls = CALLS, worker = WORKER } = options;
  const child = fork(worker, [runtimeEntry(runtimeDir), model, String(calls)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
    env: Object.fromEntries(
      PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
    ),
  });
  let said = '';
  let ready = false;
  let failure = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-STDERR_CHARACTERS);
  });
  child.on('message', (message: FromWorker) => {
    if (message.kind === 'ready') ready = true;
    listener.message(message);
  });
  child.on('error', (error) => {
    failure = error.message;
  });
  // The 'close' event comes after all output was read; 'exit' does not wait for it.
  child.on('close', (code, signal) => {
    const words = failure || said.trim();
    listener.ended(
      `the process of the local model ended with ${code ?? signal}${words ? `: ${words}` : ''}`,
      ready,
    );
  });
  return child;
}
