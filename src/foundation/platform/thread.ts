/** The worker's program imports a compiled module once, and calls the function that an order names. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';

export interface ThreadTask {
  readonly program: string;
  readonly task: string;
  readonly input: unknown;
}

export type ThreadAnswer =
  | { readonly value: unknown }
  | { readonly failed: string; readonly stack: string | undefined };

/** Speech has priority. Only Linux has a priority for each thread. */
const NICENESS = 5;
try {
  setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS);
} catch {}

type Tasks = Readonly<Record<string, (input: unknown) => unknown>>;

async function answerTo({ program, task, input }: ThreadTask): Promise<ThreadAnswer> {
  try {
    const tasks = (await import(pathToFileURL(program).href)) as Tasks;
    return { value: await tasks[task]?.(input) };
  } catch (error) {
    const { message, stack } = error as Error;
    return { failed: message, stack };
  }
}

parentPort?.on('message', async (order: ThreadTask) => parentPort?.postMessage(await answerTo(order)));
