import { UnreadableDocument } from '../../../language/documents/index.ts';
import { type ProcessLimits, startLimited } from '../../../media/codec/index.ts';

const MOST_BYTES = 64 * 1024 * 1024;

export interface SandboxedResult {
  readonly out: Buffer;
  readonly said: string;
}

export async function runSandboxed(
  program: string,
  args: readonly string[],
  input: Uint8Array,
  limits: ProcessLimits,
  signal: AbortSignal,
): Promise<SandboxedResult> {
  signal.throwIfAborted();
  const child = await startLimited(program, args, limits, 'pipe');
  const stop = (): void => child.discard();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  // The timeout is three times the CPU limit, since a busy machine gives a process less than a core.
  const late = setTimeout(stop, limits.cpuSeconds * 3_000);
  const parts: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes <= MOST_BYTES) parts.push(part);
    else child.discard();
  });
  try {
    child.stdin?.end(input);
    const { code } = await child.ended;
    signal.throwIfAborted();
    if (code !== 0 || bytes > MOST_BYTES) throw new UnreadableDocument(`The picture could not be read.`);
    return { out: Buffer.concat(parts), said: child.stderrText() };
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
  }
}
