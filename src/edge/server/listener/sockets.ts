import type { Access, Principal } from '../../../foundation/access/contract.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import type { Log } from '../../../foundation/platform/log.ts';
import type { Metrics } from '../../../foundation/platform/metrics.ts';
import { storageFaultOf } from '../../../foundation/platform/storage-fault.ts';
import { answerUpgrade } from '../../../media/engine/index.ts';
import { clientAddress, type ProxyTest } from '../client-address.ts';
import { toApiError } from '../rest/error-edge.ts';
import type { AcceptedSocket, SocketRequest, SocketRoute } from '../surface.ts';
import type { Anchor } from './anchor.ts';
import { Connection, VANISHED } from './connection.ts';
import { presentedAt, subprotocolAnswer } from './handshake.ts';
import { headFault, type RequestHead, readHead } from './head.ts';
import { Pacer } from './pacer.ts';
import { ReaderWatch } from './reader-watch.ts';
import { refuse } from './refusal.ts';
import { SocketCredential } from './socket-credential.ts';
import type { Stranger } from './socket-owner.ts';
import { STRANGER_MS, Strangers } from './strangers.ts';
import type { UwsApp, UwsRequest, UwsResponse, UwsSocket, UwsSocketContext } from './uws.ts';

export interface SocketEdgeOptions {
  readonly anchor: Anchor;
  readonly access: Access;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly baseUrl: () => string;
  readonly isProxy: ProxyTest;
  readonly draining: () => boolean;
  /** Milliseconds until a draining server closes its open sockets. */
  readonly drainLeft: () => number;
}

/** The library copies the properties of its user data, so the connection is wrapped. */
interface Carried {
  readonly connection: Connection;
}

/** A promise may continue while the library parses another request, and an upgrade in that moment would hit that request. */
const turnOfItsOwn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The library's reasons for closing a peer that violates the protocol, where the engine's frame guard has not done so. */
const BROKEN: Readonly<Record<string, number>> = {
  'Received invalid WebSocket frame': 1002,
  'Received invalid close payload': 1002,
  'Received invalid UTF-8': 1007,
  'Received too big message': 1009,
};

const closeCode = (code: number, reason: ArrayBuffer): number =>
  code === VANISHED ? (BROKEN[Buffer.from(reason).toString('latin1')] ?? code) : code;

/** Reads the property itself: `getUserData` would call into native code for every frame. */
const carried = (socket: UwsSocket<Carried>): Connection => (socket as unknown as Carried).connection;

const DEFAULT_IDLE_SECONDS = 120;
/** The library drops a connection beyond its limit without an error, so that limit lies far above the route's own. */
const HARD_LIMIT_FACTOR = 4;
const LEAST_HARD_LIMIT = 8 * 1024 * 1024;

interface Decision {
  readonly accepted: AcceptedSocket;
  readonly headers: Readonly<Record<string, string>>;
  /** Frees the slot of a peer that has not authenticated. */
  readonly leave: (() => void) | null;
}

type Described = SocketRequest & { principal: Principal | null };

/** Authorizes the request and asks the route. It throws the error of a rejection over HTTP. */
async function decide(
  route: SocketRoute,
  request: Described,
  credential: SocketCredential,
  strangers: Strangers,
  log: Log,
): Promise<Decision> {
  /** The rate-limit headers, which rejections carry as well. */
  let headers: Readonly<Record<string, string>> = {};
  let leave: (() => void) | null = null;
  try {
    headers = await credential.fromUpgrade();
    request.principal = credential.principal;
    if (credential.isOpen) leave = strangers.enter(request.remoteAddress);
    return { accepted: await route.accept(request), headers, leave };
  } catch (error) {
    leave?.();
    if (!(error instanceof ApiError) && storageFaultOf(error) === null) throw error;
    const refused = toApiError(error, log);
    Object.assign(refused.headers, { ...headers, ...refused.headers });
    const accepted = route.refuse?.(refused);
    if (!accepted) throw refused;
    return { accepted, headers: refused.headers, leave: null };
  }
}

/** Serves the socket routes on the listener and tracks the open connections. */
export class SocketEdge {
  readonly connections = new Set<Connection>();
  /** The greatest payload limit of all routes. */
  largestMessage = LEAST_HARD_LIMIT;
  readonly #options: SocketEdgeOptions;
  readonly #pacer = new Pacer();
  readonly #strangers = new Strangers();

  constructor(options: SocketEdgeOptions) {
    this.#options = options;
  }

  serve(app: UwsApp, route: SocketRoute): void {
    const counters = this.#options.metrics.socketPath(route.path);
    const pacer = this.#pacer;
    const maxPayloadLength = Math.max(route.maxFrameBytes * HARD_LIMIT_FACTOR, LEAST_HARD_LIMIT);
    this.largestMessage = Math.max(this.largestMessage, maxPayloadLength);
    app.ws<Carried>(route.path, {
      maxPayloadLength,
      idleTimeout: route.idleSeconds ?? DEFAULT_IDLE_SECONDS,
      sendPingsAutomatically: true,
      // SocketRoute.maxBufferedBytes limits the queue; the library would drop frames silently.
      maxBackpressure: 0,
      upgrade: (response, request, context) => this.#upgrade(route, response, request, context),
      open: (socket) => this.#open(socket),
      message: (socket, data, isBinary) => {
        pacer.frame();
        counters.framesIn++;
        counters.bytesIn += data.byteLength;
        carried(socket).received(new Uint8Array(data), isBinary);
      },
      drain: (socket) => carried(socket).emptied(),
      pong: (socket, question) => carried(socket).answered(Buffer.from(question).toString('latin1')),
      close: (socket, code, reason) => this.#closed(carried(socket), closeCode(code, reason)),
    });
  }

  #upgrade(route: SocketRoute, response: UwsResponse, request: UwsRequest, context: UwsSocketContext): void {
    const head = readHead(request, response);
    const pending = { gone: false, requestId: newId('req') };
    response.onAborted(() => {
      pending.gone = true;
    });
    this.#handshake(route, head, pending, response, context).catch((error: unknown) => {
      const log = this.#options.log.child({ reqId: pending.requestId });
      if (pending.gone) return;
      refuse(response, toApiError(error, log), pending.requestId, this.#options.baseUrl());
    });
  }

  async #handshake(
    route: SocketRoute,
    head: RequestHead,
    pending: { gone: boolean; requestId: string },
    response: UwsResponse,
    context: UwsSocketContext,
  ): Promise<void> {
    const { access, clock, draining, metrics, log } = this.#options;
    if (draining()) {
      throw new ApiError(
        'unavailable',
        'The server is shutting down. Send the request again after a few seconds.',
        { retryAfter: 5 },
      );
    }
    if (head.fault) throw headFault(head.fault);
    const { request, credential } = this.#describe(route, head, pending.requestId);
    const { accepted, headers, leave } = await decide(
      route,
      request,
      credential,
      this.#strangers,
      log.child({ reqId: pending.requestId }),
    );
    await turnOfItsOwn();
    if (pending.gone) {
      leave?.();
      accepted.abandon?.();
      return;
    }
    const stranger: Stranger | null = leave && {
      leave,
      whenLate: (onLate) => clock.after(STRANGER_MS, onLate),
    };
    const connection = new Connection({
      requestId: pending.requestId,
      accepted,
      limits: route,
      counters: metrics.socketPath(route.path),
      log: log.child({ reqId: pending.requestId, route: route.path }),
      reader: route.behindSeconds === undefined ? null : new ReaderWatch(clock, route.behindSeconds),
      owner: {
        principal: request.principal,
        watch: (principal, onDead) => access.watch(principal, onDead),
        stranger,
      },
    });
    credential.whenFound((principal) => connection.owner.identified(principal));
    const protocol = subprotocolAnswer(head.headers['sec-websocket-protocol'], route.vendor);
    this.#switch(
      response,
      head,
      connection,
      { protocol, headers: { 'x-request-id': pending.requestId, ...headers } },
      context,
      accepted,
    );
  }

  #switch(
    response: UwsResponse,
    head: RequestHead,
    connection: Connection,
    answer: { readonly protocol: string; readonly headers: Readonly<Record<string, string>> },
    context: UwsSocketContext,
    accepted: AcceptedSocket,
  ): void {
    try {
      const upgrade = () => {
        response.writeStatus('101 Switching Protocols');
        for (const [name, value] of Object.entries(answer.headers)) response.writeHeader(name, value);
        response.upgrade(
          { connection },
          head.headers['sec-websocket-key'] ?? '',
          answer.protocol,
          '',
          context,
        );
      };
      answerUpgrade(() => this.#options.anchor.cork(() => response.cork(upgrade)));
    } catch (error) {
      if (!connection.isOpen) {
        connection.verified();
        accepted.abandon?.();
      }
      throw error;
    }
  }

  #describe(
    route: SocketRoute,
    head: RequestHead,
    requestId: string,
  ): { request: Described; credential: SocketCredential } {
    const asked = {
      path: head.path,
      query: new URLSearchParams(head.query),
      headers: head.headers,
      remoteAddress: clientAddress(head.peer, head.headers['x-forwarded-for'], this.#options.isProxy),
      requestId,
      principal: null,
    };
    const credential = new SocketCredential(
      this.#options.access,
      route,
      presentedAt(head, asked, route.vendor),
    );
    return { request: { ...asked, identify: credential.identify }, credential };
  }

  #open(socket: UwsSocket<Carried>): void {
    const connection = carried(socket);
    this.connections.add(connection);
    connection.opened(socket);
    if (this.#options.draining()) connection.drain(this.#options.drainLeft());
  }

  #closed(connection: Connection, code: number): void {
    this.connections.delete(connection);
    connection.ended(code);
  }
}
