/** Hashes passwords on a worker thread of low priority, so that sign-ins never delay speech. */

import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { hashSync, type Options, verifySync } from '@node-rs/argon2';

export type HashTask =
  | { readonly kind: 'hash'; readonly password: string; readonly cost: Options }
  | { readonly kind: 'verify'; readonly password: string; readonly stored: string };

export type HashAnswer = { readonly value: string | boolean } | { readonly failed: string };

const { niceness } = workerData as { niceness: number };

/** Only Linux has a priority for each thread. */
try {
  setPriority(Number(basename(readlinkSync('/proc/thread-self'))), niceness);
} catch {}

function answerTo(task: HashTask): HashAnswer {
  try {
    if (task.kind === 'hash') return { value: hashSync(task.password, task.cost) };
    return { value: verifySync(task.stored, task.password) };
  } catch (error) {
    return { failed: (error as Error).message };
  }
}

parentPort?.on('message', (task: HashTask) => parentPort?.postMessage(answerTo(task)));
