import type { UrlGate } from './gate.ts';
import { GateError } from './policy.ts';

export interface SocketMessagesOptions {
  readonly gate: Pick<UrlGate, 'webSocket'>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** They are sent as JSON once the socket is open. */
  readonly first: Iterable<object>;
  readonly signal: AbortSignal;
}

/** The limit bounds the messages that wait for a slow consumer. */
const MAX_WAITING = 4_096;
/** The longest answer has less audio, in base64 too. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Yields messages until either side closes the socket. An abort ends the iteration without an error. Throws GateError;
 * nothing else.
 */
export async function* socketMessages(options: SocketMessagesOptions): AsyncGenerator<string | Buffer> {
  const { signal } = options;
  if (signal.aborted) return;
  const socket = options.gate.webSocket(options.url, options.headers);
  socket.binaryType = 'arraybuffer';
  const waiting: (string | Buffer)[] = [];
  let bytes = 0;
  let failure: GateError | null = null;
  let isOver = false;
  let wake = (): void => undefined;
  const end = (error: GateError | null) => {
    failure ??= isOver ? null : error;
    isOver = true;
    wake();
  };
  socket.addEventListener('open', () => {
    for (const message of options.first) socket.send(JSON.stringify(message));
  });
  socket.addEventListener('message', ({ data }) => {
    if (isOver) return;
    const message = typeof data === 'string' ? data : Buffer.from(data as ArrayBuffer);
    bytes += message.length;
    if (waiting.length >= MAX_WAITING || bytes > MAX_BYTES)
      return end(new GateError('too_large', 'the host sent more than the answer requires'));
    waiting.push(message);
    wake();
  });
  socket.addEventListener('error', ({ error, message }) => {
    const cause = error instanceof Error ? (error.cause ?? error) : undefined;
    const said = cause instanceof Error ? cause.message : message;
    end(new GateError('connection', `the socket failed: ${said}`, { cause: error }));
  });
  socket.addEventListener('close', ({ code, reason }) =>
    end(code === 1000 || code === 1005 ? null : new GateError('connection', closed(code, reason))),
  );
  const onAbort = () => end(null);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      const message = waiting.shift();
      if (signal.aborted) return;
      if (message !== undefined) yield message;
      else if (failure !== null) throw failure;
      else if (isOver) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    isOver = true;
    socket.close();
  }
}

const closed = (code: number, reason: string): string =>
  `the host closed its socket with ${code}${reason === '' ? '' : ` (${reason})`}`;
