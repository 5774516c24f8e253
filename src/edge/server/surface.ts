import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import type { Principal, Requirement, Vendor } from '../../foundation/access/contract.ts';
import type { ApiError } from '../../foundation/platform/errors.ts';

import './rest/route-config.ts';

export {
  declaredBytes,
  defineForm,
  type Form,
  type FormContent,
  type FormFile,
  type FormReading,
  unlessForm,
} from './form.ts';
export type { KeepAnswer } from './idempotency/index.ts';
export { type Range, type RangedFile, rangeOf, sendRange } from './range.ts';
export { shownName } from './rest/field-name.ts';
export { StaticFile } from './static-file.ts';

/** What a surface hands to the composition root. No type of the listener appears here. */
export interface Surface {
  readonly name: string;
  /** Registers REST routes; each route says `config.access` and its TypeBox schemas. */
  readonly routes?: (app: FastifyInstance) => void | Promise<void>;
  readonly sockets?: readonly SocketRoute[];
  /** What is told to customers' servers, for the description. */
  readonly events?: readonly OutgoingEvent[];
  /** Parts that /readyz and `doctor` name when they are not ready. */
  readonly parts?: () => readonly Part[] | Promise<readonly Part[]>;
  readonly start?: () => Promise<void>;
  /** Drain: refuse new work, finish or hand over what runs, return by the deadline (monotonic ms from now). */
  readonly stop?: (deadlineMs: number) => Promise<void>;
}

export interface Part {
  readonly name: string;
  readonly ready: boolean;
  /** When not ready: why, and the command that mends it. */
  readonly detail?: string;
  /** Not ready yet, and will be by itself. */
  readonly opening?: boolean;
  /** A part that /readyz waits for; others are only reported. */
  readonly required: boolean;
  /** It serves, and not as the operator asked. */
  readonly degraded?: boolean;
  /** Of the device: what the operator asked for, and where each model runs. */
  readonly wanted?: string;
  readonly models?: readonly { readonly name: string; readonly device: string; readonly reason?: string }[];
}

export interface SocketRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly remoteAddress: string;
  readonly requestId: string;
  readonly principal: Principal | null;
  /** On a route with `keyScope`: whose the socket is, by the credential that came with the upgrade, or else by this key of
   * a frame. From then on the socket ends with that credential. Rejects with ApiError. */
  readonly identify: (key: string | undefined) => Promise<Principal>;
}

export interface Socket {
  readonly requestId: string;
  /** On a `signed` route without `keyScope`: the peer has proved what it is, and is no stranger any more. */
  verified?(): void;
  /** Text for a string, binary for bytes. False: the peer reads too slowly and the frame was queued;
   * `bufferedBytes` says how much waits. After close it does nothing. */
  send(data: string | Uint8Array): boolean;
  readonly bufferedBytes: number;
  /** Sends what is queued, then the close frame. */
  close(code: number, reason: string): void;
}

export interface SocketHandler {
  /** `data` is valid only during the call: copy what must outlive it. */
  message(data: Uint8Array, isBinary: boolean): void;
  /** The queue has emptied after a `send` that answered false. */
  drained?(): void;
  /** The listener is about to close with this code by itself (1001, 1009, 1011, 4401): what is sent now still goes
   * before the close frame. */
  closing?(code: number): void;
  /** A frame was larger than the route allows; it is not delivered. The handler says so and closes, in its own time;
   * without this the connection is closed with 1009 at once. */
  oversized?(limit: number): void;
  /** Called once, whoever closed, with the code that was seen or sent (1006 when the peer vanished). */
  closed(code: number): void;
  /** The server drains: finish within `msLeft`; then the server closes with 1001. */
  draining?(msLeft: number): void;
}

/** What a route has agreed to before the 101, and may hold resources of (an admission, a lane). */
export interface AcceptedSocket {
  /** The connection is open. */
  open(socket: Socket): SocketHandler;
  /** The peer vanished before the 101: give back what is held. Exactly one of `open` and `abandon` is called. */
  abandon?(): void;
}

export interface SocketRoute {
  readonly path: string;
  readonly access: Requirement;
  /** Of a `signed` route: the scope of a key that comes with the upgrade or in a frame. `identify` asks for it. */
  readonly keyScope?: string;
  /** The route serves another maker's clients, and takes the key as they send it. */
  readonly vendor?: Vendor;
  readonly maxFrameBytes: number;
  /** Seconds without any frame before the listener gives up (it pings before); default 120. */
  readonly idleSeconds?: number;
  /** Bytes that may wait for a slow reader before it is closed with 1013; default 4 MiB. */
  readonly maxBufferedBytes?: number;
  /** How far behind in reading a peer may be before it is closed with 1013, wherever on the way the bytes wait: measured by
   * pings among the frames that are sent, one a second. Not looked at where absent. */
  readonly behindSeconds?: number;
  /** Frames of this surface for /asyncapi.json. */
  readonly messages?: SocketMessages;
  /** Runs after authorization and before the 101; throws ApiError for an HTTP refusal. To refuse after the 101,
   * accept, and send and close in `open`. */
  accept(request: SocketRequest): AcceptedSocket | Promise<AcceptedSocket>;
  /** A refusal, by access or by `accept`, that this route tells after the 101 instead; null: over HTTP after all. */
  refuse?(error: ApiError): AcceptedSocket | null;
}

export interface SocketMessages {
  /** As the reference calls the route; its path unless said. */
  readonly title?: string;
  readonly summary: string;
  /** What a reader must know beyond the frames. */
  readonly description?: string;
  /** What its close codes mean here, where they mean more than everywhere. */
  readonly closes?: Readonly<Record<number, string>>;
  /** Query parameters of the URL, as one object schema. */
  readonly query?: TSchema;
  readonly client: readonly SocketMessage[];
  readonly server: readonly SocketMessage[];
}

/** A kind of event that leaves for customers' servers. */
export interface OutgoingEvent {
  readonly type: string;
  readonly description: string;
  /** Of the whole body. */
  readonly schema: TSchema;
  readonly sample: unknown;
}

export interface SocketMessage {
  /** `commit`, `partial`, `audio`… unique in its direction. */
  readonly name: string;
  readonly summary: string;
  /** The schema that parses or builds the frame; absent for raw bytes. */
  readonly schema?: TSchema;
  /** `application/json` unless said. */
  readonly contentType?: string;
  /** Made from the schema unless said. */
  readonly example?: unknown;
  /** The first byte of the binary frame that carries it, on routes whose frames are tagged. */
  readonly tag?: number;
}
