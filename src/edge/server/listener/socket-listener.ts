import type { AccessControl, Principal } from '../../../foundation/access/contract.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import type { Log } from '../../../foundation/platform/log.ts';
import type { Metrics } from '../../../foundation/platform/metrics.ts';
import { storageFaultOf } from '../../../foundation/platform/storage-fault.ts';
import { answerUpgrade } from '../../../media/engine/index.ts';
import { clientAddress, type ProxyTest } from '../client-address.ts';
import { toApiError } from '../rest/error-handler.ts';
import type { AcceptedSocket, SocketRequest, SocketRoute } from '../surface.ts';
import type { CorkRequest } from './cork-request.ts';
import { credentialsOfUpgrade, subprotocolAnswer } from './handshake.ts';
import { ReadLagMonitor } from './read-lag-monitor.ts';
import { ReceiveCoalescer } from './receive-coalescer.ts';
import { headFaultError, type RequestHead, readHead } from './request-head.ts';
import { sendRejection } from './send-rejection.ts';
import { ABNORMAL_CLOSURE, SocketConnection } from './socket-connection.ts';
import { SocketCredential } from './socket-credential.ts';
import type { UnauthenticatedSlot } from './socket-owner.ts';
import { AUTHENTICATION_TIMEOUT_MS, UnauthenticatedSockets } from './unauthenticated-sockets.ts';
import type { UwsApp, UwsRequest, UwsResponse, UwsSocket, UwsSocketContext } from './uws.ts';

export interface SocketListenerOptions {
  readonly corkRequest: CorkRequest;
  readonly access: AccessControl;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly baseUrl: () => string;
  readonly isProxy: ProxyTest;
  readonly draining: () => boolean;
  readonly drainLeft: () => number;
}

/** The wrapper exists because the library copies the properties of its user data. */
interface SocketUserData {
  readonly connection: SocketConnection;
}

/**
 * Waits a turn: a promise may continue while the library parses another request, and an upgrade at that moment would
 * apply to that request.
 */
const nextEventLoopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Maps the library's reasons for closing on a protocol violation, for violations that the engine's frame guard lets
 * through.
 */
const PROTOCOL_ERROR_CODES: Readonly<Record<string, number>> = {
  'Received invalid WebSocket frame': 1002,
  'Received invalid close payload': 1002,
  'Received invalid UTF-8': 1007,
  'Received too big message': 1009,
};

const closeCode = (code: number, reason: ArrayBuffer): number =>
  code === ABNORMAL_CLOSURE ? (PROTOCOL_ERROR_CODES[Buffer.from(reason).toString('latin1')] ?? code) : code;

/** Reads the property itself: `getUserData` would call into native code for every frame. */
const connectionOf = (socket: UwsSocket<SocketUserData>): SocketConnection =>
  (socket as unknown as SocketUserData).connection;

const DEFAULT_IDLE_SECONDS = 120;
/** The library drops a connection beyond its limit without an error, so that limit lies far above the route's own. */
const HARD_LIMIT_FACTOR = 4;
const MIN_HARD_LIMIT = 8 * 1024 * 1024;

interface UpgradeDecision {
  readonly accepted: AcceptedSocket;
  readonly headers: Readonly<Record<string, string>>;
  readonly releaseSlot: (() => void) | null;
}

type PendingSocketRequest = SocketRequest & { principal: Principal | null };

async function decideUpgrade(
  route: SocketRoute,
  request: PendingSocketRequest,
  credential: SocketCredential,
  unauthenticated: UnauthenticatedSockets,
  log: Log,
): Promise<UpgradeDecision> {
  let headers: Readonly<Record<string, string>> = {};
  let leave: (() => void) | null = null;
  try {
    headers = await credential.authorizeUpgrade();
    request.principal = credential.principal;
    if (credential.isPending) leave = unauthenticated.acquire(request.remoteAddress);
    return { accepted: await route.accept(request), headers, releaseSlot: leave };
  } catch (error) {
    leave?.();
    if (!(error instanceof ApiError) && storageFaultOf(error) === null) throw error;
    const refused = toApiError(error, log);
    Object.assign(refused.headers, { ...headers, ...refused.headers });
    const accepted = route.refuse?.(refused);
    if (!accepted) throw refused;
    return { accepted, headers: refused.headers, releaseSlot: null };
  }
}

export class SocketListener {
  readonly connections = new Set<SocketConnection>();
  largestMessage = MIN_HARD_LIMIT;
  readonly #options: SocketListenerOptions;
  readonly #coalescer = new ReceiveCoalescer();
  readonly #unauthenticated = new UnauthenticatedSockets();

  constructor(options: SocketListenerOptions) {
    this.#options = options;
  }

  serve(app: UwsApp, route: SocketRoute): void {
    const counters = this.#options.metrics.socketPath(route.path);
    const coalescer = this.#coalescer;
    const maxPayloadLength = Math.max(route.maxFrameBytes * HARD_LIMIT_FACTOR, MIN_HARD_LIMIT);
    this.largestMessage = Math.max(this.largestMessage, maxPayloadLength);
    app.ws<SocketUserData>(route.path, {
      maxPayloadLength,
      idleTimeout: route.idleSeconds ?? DEFAULT_IDLE_SECONDS,
      sendPingsAutomatically: true,
      // SocketRoute.maxBufferedBytes limits the queue; the library would drop frames silently.
      maxBackpressure: 0,
      upgrade: (response, request, context) => this.#upgrade(route, response, request, context),
      open: (socket) => this.#open(socket),
      message: (socket, data, isBinary) => {
        coalescer.onFrame();
        counters.framesIn++;
        counters.bytesIn += data.byteLength;
        connectionOf(socket).onFrame(new Uint8Array(data), isBinary);
      },
      drain: (socket) => connectionOf(socket).onSendBufferDrained(),
      pong: (socket, question) => connectionOf(socket).onPong(Buffer.from(question).toString('latin1')),
      close: (socket, code, reason) => this.#closed(connectionOf(socket), closeCode(code, reason)),
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
      sendRejection(response, toApiError(error, log), pending.requestId, this.#options.baseUrl());
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
    if (head.fault) throw headFaultError(head.fault);
    const { request, credential } = this.#describe(route, head, pending.requestId);
    const {
      accepted,
      headers,
      releaseSlot: leave,
    } = await decideUpgrade(
      route,
      request,
      credential,
      this.#unauthenticated,
      log.child({ reqId: pending.requestId }),
    );
    await nextEventLoopTurn();
    if (pending.gone) {
      leave?.();
      accepted.abandon?.();
      return;
    }
    const slot: UnauthenticatedSlot | null = leave && {
      release: leave,
      onTimeout: (onLate) => clock.after(AUTHENTICATION_TIMEOUT_MS, onLate),
    };
    const connection = new SocketConnection({
      requestId: pending.requestId,
      accepted,
      limits: route,
      counters: metrics.socketPath(route.path),
      log: log.child({ reqId: pending.requestId, route: route.path }),
      readLag:
        route.maxReadLagSeconds === undefined ? null : new ReadLagMonitor(clock, route.maxReadLagSeconds),
      owner: {
        principal: request.principal,
        watch: (principal, onDead) => access.watchRevocation(principal, onDead),
        unauthenticatedSlot: slot,
      },
    });
    credential.onIdentified((principal) => connection.owner.identified(principal));
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
    connection: SocketConnection,
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
      answerUpgrade(() => this.#options.corkRequest.cork(() => response.cork(upgrade)));
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
  ): { request: PendingSocketRequest; credential: SocketCredential } {
    const described = {
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
      credentialsOfUpgrade(head, described, route.vendor),
    );
    return { request: { ...described, identify: credential.identify }, credential };
  }

  #open(socket: UwsSocket<SocketUserData>): void {
    const connection = connectionOf(socket);
    this.connections.add(connection);
    connection.onOpened(socket);
    if (this.#options.draining()) connection.onServerDraining(this.#options.drainLeft());
  }

  #closed(connection: SocketConnection, code: number): void {
    this.connections.delete(connection);
    connection.onClosed(code);
  }
}
