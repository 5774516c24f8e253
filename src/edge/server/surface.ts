import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import type { ClientVendor, Principal, Requirement } from '../../foundation/access/contract.ts';
import type { ApiError } from '../../foundation/platform/errors.ts';

import './rest/route-config.ts';

export { printableFieldName } from '../../foundation/platform/printable.ts';
export { withoutComponents } from './contract/components.ts';
export {
  declaredBytes,
  defineForm,
  type Form,
  type FormContent,
  type FormFile,
  type FormReadOptions,
  skipBodyOfForms,
} from './form.ts';
export type { StoreResponse } from './idempotency/index.ts';
export { parseRangeHeader, type Range, type RangedFile, sendRange } from './range.ts';
export { isRelayed, relayTo } from './socket-relay.ts';
export { StaticFile } from './static-file.ts';
export { hasType, readTextBody } from './text-body.ts';

/** Describes a part of the public API, as the composition root registers it. No type of the listener appears here. */
export interface Surface {
  readonly name: string;
  /** Registers the REST routes; each must state `config.access` and its TypeBox schemas. */
  readonly routes?: (app: FastifyInstance) => void | Promise<void>;
  readonly sockets?: readonly SocketRoute[];
  readonly events?: readonly WebhookEventType[];
  readonly parts?: () => readonly ComponentHealth[] | Promise<readonly ComponentHealth[]>;
  readonly start?: () => Promise<void>;
  /** Drains the surface: it rejects new work, finishes or hands over running work, and resolves within `deadlineMs`. */
  readonly stop?: (deadlineMs: number) => Promise<void>;
}

export interface ComponentHealth {
  readonly name: string;
  readonly ready: boolean;
  /** States why the part is not ready, and the command that repairs it. */
  readonly detail?: string;
  readonly opening?: boolean;
  /** /readyz answers 503 until every required part is ready; the others are only reported. */
  readonly required: boolean;
  /** The part works, but not in the way the operator has configured. */
  readonly degraded?: boolean;
  readonly wanted?: string;
  /** How many more calls of agents fit on this node, and how many an idle one takes. */
  readonly calls_free?: number;
  readonly calls_capacity?: number;
  readonly models?: readonly { readonly name: string; readonly device: string; readonly reason?: string }[];
}

export interface SocketRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly remoteAddress: string;
  readonly requestId: string;
  readonly principal: Principal | null;
  /**
   * On a route with `keyScope`, resolves with the socket's principal, from the credential of the upgrade or else from
   * this key of a frame. From then on, revoking the credential closes the socket. Rejects with ApiError.
   */
  readonly identify: (key: string | undefined) => Promise<Principal>;
}

export interface Socket {
  readonly requestId: string;
  /** A `signed` route without `keyScope` calls this when the peer has authenticated itself in a frame. */
  verified?(): void;
  /**
   * Sends a string as text and bytes as binary. Returns false when the peer reads too slowly and the frame was
   * queued; `bufferedBytes` is the length of that queue. After close it does nothing.
   */
  send(data: string | Uint8Array): boolean;
  readonly bufferedBytes: number;
  /** Sends the queued frames, then the close frame. */
  close(code: number, reason: string): void;
}

export interface SocketHandler {
  /** `data` is valid only during the call; a handler copies what must outlive it. */
  onMessage(data: Uint8Array, isBinary: boolean): void;
  /** The send queue is empty again after a `send` that returned false. */
  onSendBufferDrained?(): void;
  /**
   * The listener is about to close with this code (1001, 1009, 1011, 4401); it still sends frames from this call
   * before the close frame.
   */
  onClosing?(code: number): void;
  /** A frame exceeded the route's limit and is not delivered. The handler reports the error and closes the socket; without
   * this method the listener closes it with 1009 immediately. */
  onOversizedFrame?(limit: number): void;
  /**
   * The listener calls this once per socket, with the close code that was received or sent (1006 for an abnormal
   * closure).
   */
  onClosed(code: number): void;
  /** The server drains; it closes the socket with 1001 after `msLeft`. */
  onServerDraining?(msLeft: number): void;
}

/** Represents a route's consent to the upgrade, which may own resources such as an admission or a lane. */
export interface AcceptedSocket {
  open(socket: Socket): SocketHandler;
  /** The peer disconnected before the 101; the route releases its resources. The listener calls either `open` or `abandon`. */
  abandon?(): void;
}

export interface SocketRoute {
  readonly path: string;
  readonly access: Requirement;
  /** The scope that a `signed` route demands of a key in the upgrade or in a frame; `identify` checks it. */
  readonly keyScope?: string;
  readonly vendor?: ClientVendor;
  readonly maxFrameBytes: number;
  /** The listener closes the socket after this time without any frame, and pings before. The default is 120. */
  readonly idleSeconds?: number;
  /** The listener closes a slow reader with 1013 when more bytes are queued. The default is 4 MiB. */
  readonly maxBufferedBytes?: number;
  /**
   * The listener closes a peer that reads with a longer delay with 1013, no matter where its bytes wait. One ping a
   * second among the sent frames measures the delay; without this field nothing is measured.
   */
  readonly maxReadLagSeconds?: number;
  readonly messages?: SocketMessages;
  /** Runs after authorization and before the 101. It throws ApiError to reject the upgrade over HTTP; to reject it after the
   * 101, it accepts, and `open` sends the error and closes. */
  accept(request: SocketRequest): AcceptedSocket | Promise<AcceptedSocket>;
  /** Turns a rejection by authorization or by `accept` into one after the 101. A null leaves the rejection to HTTP. */
  refuse?(error: ApiError): AcceptedSocket | null;
}

export interface SocketMessages {
  readonly title?: string;
  readonly summary: string;
  readonly description?: string;
  /** These meanings of close codes add to the general ones. */
  readonly closes?: Readonly<Record<number, string>>;
  readonly query?: TSchema;
  readonly client: readonly SocketMessage[];
  readonly server: readonly SocketMessage[];
}

export interface WebhookEventType {
  readonly type: string;
  readonly description: string;
  readonly schema: TSchema;
  readonly sample: unknown;
}

export interface SocketMessage {
  /** A name, such as `commit` or `partial`, is unique in its direction. */
  readonly name: string;
  readonly summary: string;
  /** Parses or builds the frame; it is absent for raw bytes. */
  readonly schema?: TSchema;
  readonly contentType?: string;
  /** The default is generated from the schema. */
  readonly example?: unknown;
  /** The tag is the first byte of a binary frame, on routes that tag their frames. */
  readonly tag?: number;
}
