import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

export type ScanVerdict =
  | { readonly kind: 'clean' }
  | { readonly kind: 'infected'; readonly name: string }
  /** The scanner answered that it can't scan this file. */
  | { readonly kind: 'unscannable'; readonly said: string }
  | { readonly kind: 'unavailable'; readonly said: string };

export interface MalwareScanner {
  scan(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<ScanVerdict>;
}

export const NO_SCANNER: MalwareScanner = {
  scan: async () => ({
    kind: 'unavailable',
    said: 'this server has no malware scanner (TRUNKLINE_CLAMD), so the file cannot be approved',
  }),
};

const TIMEOUT_MS = 60_000;
const MOST_ANSWERED = 4096;

/** `unix:/run/clamav/clamd.ctl` or `tcp://127.0.0.1:3310`. */
export function clamd(address: string): MalwareScanner {
  const place = placeOf(address);
  return {
    scan: async (bytes, signal) => {
      try {
        return verdictOf(await ask(connect(place), bytes, signal));
      } catch (error) {
        signal.throwIfAborted();
        const said = `the malware scanner does not answer (${(error as NodeJS.ErrnoException).code ?? 'cut off'})`;
        return { kind: 'unavailable', said };
      }
    },
  };
}

function placeOf(address: string): { path: string } | { host: string; port: number } {
  if (address.startsWith('unix:')) return { path: address.slice('unix:'.length) };
  const { hostname, port } = new URL(address);
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 3310) };
}

/** Each chunk follows its length; an empty chunk ends the file. */
async function ask(socket: Socket, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
  const stop = (): void => void socket.destroy(new Error('stopped'));
  signal.addEventListener('abort', stop, { once: true });
  socket.setTimeout(TIMEOUT_MS, stop);
  try {
    const answer = answerOf(socket);
    // The scanner may answer and close the connection before it has all bytes.
    const sent = send(socket, bytes).catch(() => {});
    const said = await answer;
    await sent;
    return said;
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}

async function send(socket: Socket, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await write(socket, Buffer.from('zINSTREAM\0'));
  for await (const chunk of bytes) {
    if (chunk.length === 0) continue;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(chunk.length);
    // A pending answer is read first, since a write to a closed connection would lose it.
    await setImmediate();
    await write(socket, Buffer.concat([length, chunk]));
  }
  await write(socket, Buffer.alloc(4));
}

const write = (socket: Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())));

function answerOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    socket.on('data', (part) => {
      said += part.toString('latin1');
      if (said.includes('\0') || said.length > MOST_ANSWERED) resolve(said.split('\0')[0]!);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('cut off')));
  });
}

function verdictOf(said: string): ScanVerdict {
  const answer = said.replace(/^stream: /, '').trim();
  if (answer === 'OK') return { kind: 'clean' };
  if (answer.endsWith(' FOUND')) return { kind: 'infected', name: answer.slice(0, -' FOUND'.length) };
  return {
    kind: 'unscannable',
    said: `the malware scanner could not scan it (${answer.slice(0, 120)})`,
  };
}
