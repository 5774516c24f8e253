/** Reads one suite on a thread of its own: what its text does to a reader, it does to nobody else. */
import { parentPort, workerData } from 'node:worker_threads';
import { readSuite, SuiteError } from './suite.ts';

export type SuiteWorkerMessage =
  | { readonly kind: 'begins' }
  | { readonly kind: 'read'; readonly json: string }
  | { readonly kind: 'refused'; readonly message: string };

/** Anchors can make more of a text than it has. */
const MOST_CHARACTERS = 1_000_000;

function read(yaml: string): SuiteWorkerMessage {
  try {
    const json = JSON.stringify(readSuite(yaml, 'suite'));
    if (json.length <= MOST_CHARACTERS) return { kind: 'read', json };
    return { kind: 'refused', message: `suite: its anchors make over ${MOST_CHARACTERS} characters of it` };
  } catch (error) {
    if (error instanceof SuiteError) return { kind: 'refused', message: error.message };
    return { kind: 'refused', message: 'suite: it cannot be read' };
  }
}

const tell = (message: SuiteWorkerMessage): void => parentPort?.postMessage(message);
tell({ kind: 'begins' });
tell(read(String(workerData)));
