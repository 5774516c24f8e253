import { WebSocket } from 'undici';
import type { AcceptedSocket, Socket, SocketHandler, SocketRequest } from './surface.ts';

/** A node serves or rejects a relayed socket and never relays it again, which prevents loops. */
const RELAYED = 'x-trunkline-relayed';
const HEADERS = ['authorization', 'x-api-key', 'origin', 'user-agent'];
const MAX_PENDING_FRAMES = 100;
const NO_STATUS = 1005;
const ABNORMAL = 1006;
const FAULT = 1011;

export const isRelayed = ({ headers }: Pick<SocketRequest, 'headers'>): boolean => RELAYED in headers;

export const relayTo = (node: string, request: SocketRequest): AcceptedSocket => ({
  open: (socket) => new SocketRelay(node, request, socket),
});

class SocketRelay implements SocketHandler {
  readonly #far: WebSocket;
  #pending: (string | Uint8Array<ArrayBuffer>)[] | null = [];
  #isClosed = false;

  constructor(node: string, { path, query, headers, remoteAddress }: SocketRequest, socket: Socket) {
    const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
    const sent = HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
    const asked = query.size === 0 ? '' : `?${query}`;
    const far = new WebSocket(`${node.replace(/^http/, 'ws')}${path}${asked}`, {
      protocols: protocols.filter((one) => one !== ''),
      headers: { ...Object.fromEntries(sent), 'x-forwarded-for': remoteAddress, [RELAYED]: '1' },
    });
    far.binaryType = 'arraybuffer';
    this.#far = far;
    far.addEventListener('open', () => {
      for (const frame of this.#pending ?? []) far.send(frame);
      this.#pending = null;
    });
    far.addEventListener('message', ({ data }: { data: unknown }) => {
      if (this.#isClosed) return;
      socket.send(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer));
    });
    far.addEventListener('error', () => undefined);
    far.addEventListener('close', ({ code, reason }: { code: number; reason: string }) => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      socket.close(code === NO_STATUS || code === ABNORMAL ? FAULT : code, reason);
    });
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    const frame = isBinary ? new Uint8Array(data) : Buffer.from(data).toString();
    if (this.#pending === null) this.#far.send(frame);
    else if (this.#pending.length < MAX_PENDING_FRAMES) this.#pending.push(frame);
  }

  onClosed(): void {
    this.#isClosed = true;
    this.#far.close();
  }
}
