/** Parses one suite in a worker thread, so that a hostile text cannot affect the server. */
import { parentPort, workerData } from 'node:worker_threads';
import { readSuite, SuiteError } from './suite.ts';

export type SuiteWorkerMessage =
  | { readonly kind: 'begins' }
  | { readonly kind: 'read'; readonly json: string }
  | { readonly kind: 'refused'; readonly message: string };

/** YAML anchors can expand a text far beyond its length. */
const MOST_CHARACTERS = 1_000_000;

function read(yaml: string): SuiteWorkerMessage {
  try {
    const json = JSON.stringify(readSuite(yaml, 'suite'));
    if (json.length <= MOST_CHARACTERS) return { kind: 'read', json };
    return { kind: 'refused', message: `suite: its anchors expand to over ${MOST_CHARACTERS} characters` };
  } catch (error) {
    if (error instanceof SuiteError) return { kind: 'refused', message: error.message };
    return { kind: 'refused', message: 'suite: cannot be read' };
  }
}

const notify = (message: SuiteWorkerMessage): void => parentPort?.postMessage(message);
notify({ kind: 'begins' });
notify(read(String(workerData)));
