import { Readable } from 'node:stream';
import { GateError } from './policy.ts';

export interface BodyWatch {
  arrived(bytes: number): void;
  finished(): void;
}

export function cappedBody(
  source: Readable,
  maxBytes: number,
  { arrived, finished }: BodyWatch,
  signal: AbortSignal,
): Readable {
  async function* capped(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const chunk of source as AsyncIterable<Uint8Array>) {
        bytes += chunk.byteLength;
        arrived(chunk.byteLength);
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        yield chunk;
      }
    } catch (error) {
      throw asGateError(error, signal);
    } finally {
      finished();
    }
  }
  const body = Readable.from(capped(), { objectMode: false });
  body.on('close', () => {
    source.on('error', () => {});
    source.destroy();
    finished();
  });
  return body;
}

export const tooLarge = (maxBytes: number): GateError =>
  new GateError('too_large', `The URL's content is larger than ${maxBytes} bytes.`);

export function asGateError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof GateError) return error;
  const { cause, code } = error as { cause?: unknown; code?: string };
  if (cause instanceof GateError) return cause;
  if (signal.aborted) return signal.reason;
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new GateError('timeout', 'The host of the URL stopped answering.', { cause: error });
  }
  return new GateError('connection', 'The URL could not be opened.', { cause: error });
}
