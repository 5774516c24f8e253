import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type LimitedProcess, type ProcessLimits, startLimited } from './limited-process.ts';

export interface PipedProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly limits: ProcessLimits;
  readonly name: string;
}

export async function* runPiped(
  { program, args, limits, name }: PipedProgram,
  input: AsyncIterable<Uint8Array>,
  stop?: AbortSignal,
): AsyncGenerator<Buffer, void> {
  stop?.throwIfAborted();
  const process = await startLimited(program, args, limits, 'pipe');
  const abort = () => process.kill();
  stop?.addEventListener('abort', abort);
  if (stop?.aborted) abort();
  let sourceError: unknown;
  const fed = feed(input, process).catch((error: unknown) => {
    sourceError = error;
    process.kill();
  });
  try {
    for await (const chunk of process.stdout) yield chunk as Buffer;
    const { code, signal } = await process.ended;
    await fed;
    stop?.throwIfAborted();
    if (sourceError) throw sourceError;
    if (code !== 0)
      throw new Error(`the ${name} ended with ${signal ?? code}: ${process.stderrText().slice(-500)}`);
  } finally {
    stop?.removeEventListener('abort', abort);
    process.discard();
    await fed;
  }
}

async function feed(input: AsyncIterable<Uint8Array>, process: LimitedProcess): Promise<void> {
  if (!process.stdin) return;
  try {
    await pipeline(Readable.from(input, { objectMode: false }), process.stdin);
  } catch (error) {
    // A program that has ended closes its input; its exit code shows why.
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE' && code !== 'ECONNRESET') throw error;
  }
}
