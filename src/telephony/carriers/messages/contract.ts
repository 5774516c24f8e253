/** The messages part of a carrier: what every network that carries texts does. It knows no tenant. */

export interface MessageOrder {
  /** Ours (`msg_…`): carried along, so that a report finds the message again and a repetition is harmless. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly mediaUrls: readonly string[];
}

/** A network reports on an accepted message in any order, and more than once. */
export type MessageReport =
  | { readonly id: string; readonly state: 'delivered' }
  | { readonly id: string; readonly state: 'failed'; readonly code: MessageFailure };

export type MessageFailure =
  /** Nobody has the number. */
  | 'unknown_number'
  /** The number takes no messages now: it is off, or out of reach, for too long. */
  | 'unreachable'
  /** The network takes it for unwanted. */
  | 'filtered'
  | 'carrier_refused';

export interface IncomingMessage {
  /** The network's own id: what comes twice is one message. */
  readonly reference: string;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly mediaUrls: readonly string[];
}

export interface MessageListener {
  report(report: MessageReport): Promise<void>;
  /** Returns false when nobody here has the number. */
  incoming(message: IncomingMessage): Promise<boolean>;
}

export interface MessageCarrier {
  /** Takes the message on; throws MessageFault where it did not. */
  send(order: MessageOrder): Promise<void>;
  /** Set before the first message. */
  listen(listener: MessageListener): void;
  /** Its listener is told of nothing more after it. */
  stop(): Promise<void>;
}

export class MessageCarrierError extends Error {
  /** The code is null when the network is unavailable and a retry may succeed. */
  readonly code: MessageFailure | null;

  constructor(code: MessageFailure | null, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MessageCarrierError';
    this.code = code;
  }
}
