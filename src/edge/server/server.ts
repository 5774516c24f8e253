import { createServer as createNodeServer } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { AccessControl } from '../../foundation/access/contract.ts';
import { type Clock, systemClock } from '../../foundation/platform/clock.ts';
import type { Config } from '../../foundation/platform/config/index.ts';
import type { Log } from '../../foundation/platform/log.ts';
import { createMetrics, type Metrics } from '../../foundation/platform/metrics.ts';
import type { Tracing } from '../../foundation/platform/tracing.ts';
import { guardWebSocketFrames, limitReceiveBuffer } from '../../media/engine/index.ts';
import { proxyTest } from './client-address.ts';
import type { IdempotencyStore } from './idempotency/index.ts';
import { CorkRequest } from './listener/cork-request.ts';
import { type HttpHandler, type HttpListener, serveHttp } from './listener/http-listener.ts';
import { SocketListener } from './listener/socket-listener.ts';
import { LIBRARY, listenOn, type UwsListenSocket, uws } from './listener/uws.ts';
import { checkReadiness, collectHealthSources, type HealthSource, type Readiness } from './readiness.ts';
import { createRest, type Rest } from './rest/app.ts';
import { specialPaths } from './special-paths.ts';
import type { Surface } from './surface.ts';

/**
 * uWebSockets.js goes on reading a paused socket while a read fills its 512 KiB buffer. A smaller kernel buffer makes the
 * pause effective (decision 024).
 */
const RECEIVE_BYTES = 192 * 1024;

export interface ServerOptions {
  readonly config: Pick<Config, 'host' | 'port' | 'baseUrl' | 'trustedProxies' | 'drainSeconds'>;
  readonly log: Log;
  readonly access: AccessControl;
  readonly surfaces: readonly Surface[];
  readonly parts?: ReadonlyMap<string, HealthSource>;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  readonly tracing?: Tracing | undefined;
  readonly idempotencyStore?: IdempotencyStore;
}

export interface Server {
  /** Tests inject requests through it without a socket. */
  readonly rest: FastifyInstance;
  readonly metrics: Metrics;
  readonly readiness: () => Promise<Readiness>;
  readonly isDraining: () => boolean;
  readonly baseUrl: () => string;
  /** Resolves with the listener's address, once the surfaces have started and the port is open. */
  listen(): Promise<string>;
  /** Rejects new requests, lets running ones finish until the deadline, then closes the sockets with 1001. */
  drain(seconds?: number): Promise<void>;
  activeRequests(): number;
  close(): Promise<void>;
}

export async function createServer(options: ServerOptions): Promise<Server> {
  const server = new ListeningServer(options);
  await server.prepare();
  return server;
}

class ListeningServer implements Server {
  readonly metrics: Metrics;
  readonly #options: ServerOptions;
  readonly #clock: Clock;
  readonly #app = uws.App();
  readonly #corkRequest = new CorkRequest(this.#app);
  readonly #sockets: SocketListener;
  #rest: Rest | undefined;
  #http: HttpListener | undefined;
  #listening: UwsListenSocket | null = null;
  #address = '';
  #draining = false;
  #deadline = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.metrics = options.metrics ?? createMetrics();
    this.#address = `http://${options.config.host}:${options.config.port}`;
    this.#sockets = new SocketListener({
      ...this.#edge(),
      corkRequest: this.#corkRequest,
      access: options.access,
      clock: this.#clock,
      metrics: this.metrics,
    });
  }

  get rest(): FastifyInstance {
    return this.#rest!.app;
  }

  readonly #drainLeft = (): number => Math.max(0, this.#deadline - this.#clock.monotonic());

  readonly baseUrl = (): string => this.#options.config.baseUrl ?? this.#address;

  readonly readiness = (): Promise<Readiness> =>
    checkReadiness(collectHealthSources(this.#options.surfaces, this.#options.parts ?? new Map()));

  readonly isDraining = (): boolean => this.#draining;

  #edge() {
    return {
      log: this.#options.log,
      baseUrl: this.baseUrl,
      isProxy: proxyTest(this.#options.config.trustedProxies),
      draining: () => this.#draining,
      drainLeft: this.#drainLeft,
    };
  }

  activeRequests(): number {
    return this.#http?.active() ?? 0;
  }

  async prepare(): Promise<void> {
    const { access, surfaces } = this.#options;
    const sockets = surfaces.flatMap((surface) => surface.sockets ?? []);
    let handler: HttpHandler | undefined;
    this.#rest = await createRest({
      ...this.#edge(),
      access,
      surfaces,
      sockets,
      metrics: this.metrics,
      tracing: this.#options.tracing,
      idempotencyStore: this.#options.idempotencyStore,
      clock: this.#clock,
      readiness: this.readiness,
      special: specialPaths(sockets),
      // This server never listens: it only receives fastify's handler, which the uWebSockets.js listener calls.
      serverFactory: (given) => {
        handler = given as HttpHandler;
        return createNodeServer(given as HttpHandler);
      },
    });
    for (const route of sockets) this.#sockets.serve(this.#app, route);
    this.#http = serveHttp(this.#app, handler!, this.baseUrl);
  }

  async listen(): Promise<string> {
    await Promise.all(this.#options.surfaces.map((surface) => surface.start?.()));
    const { host, port } = this.#options.config;
    this.#listening = await listenOn(this.#app, host, port);
    const shown = host.includes(':') ? `[${host}]` : host;
    const bound = uws.us_socket_local_port(this.#listening as never);
    limitReceiveBuffer(bound, RECEIVE_BYTES);
    if (guardWebSocketFrames(LIBRARY, this.#sockets.largestMessage) === 0)
      this.#options.log.warn(
        'no WebSocket frame guard on this system: peers that violate the protocol are closed without a close code',
      );
    await this.#corkRequest.open(host, bound);
    this.#address = `http://${shown}:${bound}`;
    return this.#address;
  }

  async drain(seconds = this.#options.config.drainSeconds): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    this.#deadline = this.#clock.monotonic() + seconds * 1000;
    const left = this.#drainLeft;
    for (const connection of this.#sockets.connections) connection.onServerDraining(left());
    const stopping = this.#options.surfaces.map(async (surface) => surface.stop?.(left()));
    await this.#idle(left() * DRAIN_WORK_SHARE);
    this.#rest?.abortRequests();
    await this.#idle(left());
    for (const connection of this.#sockets.connections)
      connection.closeGracefully(1001, 'the server is shutting down');
    await Promise.allSettled(stopping);
    await this.close();
  }

  #idle(ms: number): Promise<void> {
    const busy = () => this.#sockets.connections.size + this.#http!.active() > 0;
    const until = this.#clock.monotonic() + ms;
    return new Promise((resolve) => {
      const look = () => {
        if (!busy() || this.#clock.monotonic() >= until) resolve();
        else this.#clock.after(DRAIN_POLL_MS, look);
      };
      look();
    });
  }

  async close(): Promise<void> {
    if (this.#listening) uws.us_listen_socket_close(this.#listening);
    this.#listening = null;
    this.#corkRequest.close();
    this.#app.close();
    await this.#rest?.app.close();
  }
}

const DRAIN_POLL_MS = 20;
/** Running requests are aborted after this share of the drain time; the rest is for sending their 503 responses. */
const DRAIN_WORK_SHARE = 0.9;
