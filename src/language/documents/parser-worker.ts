import { once } from 'node:events';
import { UnreadableDocument } from './blocks.ts';

export type WorkerOutputLine<T> = { readonly part: T } | { readonly unreadable: string };

/**
 * Parses one document. A line of JSON and the bytes come in, and the answer goes out as one line of JSON for each
 * part, so that the parent never parses a whole document's JSON at once.
 */
export async function runParserWorker<Asked>(
  work: (asked: Asked, bytes: Uint8Array) => AsyncIterable<unknown>,
): Promise<void> {
  try {
    const { asked, bytes } = await readRequest<Asked>();
    for await (const part of work(asked, bytes)) await writeLine({ part });
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) console.error(error);
    const reason = error instanceof UnreadableDocument ? error.message : 'The document could not be read.';
    await writeLine({ unreadable: reason });
  }
}

async function readRequest<Asked>(): Promise<{ asked: Asked; bytes: Uint8Array }> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  const all = Buffer.concat(parts);
  const line = all.indexOf(10);
  return { asked: JSON.parse(all.toString('utf8', 0, line)) as Asked, bytes: all.subarray(line + 1) };
}

async function writeLine(line: WorkerOutputLine<unknown>): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain');
}
