export interface MessageOrder {
  /**
   * The id that this server gave to the message (`msg_…`). The network carries it along, so that a report finds the
   * message and a retry is harmless.
   */
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
  | 'unknown_number'
  /** The number is switched off or without coverage for too long. */
  | 'unreachable'
  /** The network classifies the message as unwanted. */
  | 'filtered'
  | 'carrier_refused';

export interface IncomingMessage {
  /** The network's own id identifies a message that is delivered twice. */
  readonly reference: string;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly mediaUrls: readonly string[];
}

export interface MessageListener {
  report(report: MessageReport): Promise<void>;
  incoming(message: IncomingMessage): Promise<boolean>;
}

export interface MessageCarrier {
  /** Throws MessageCarrierError where the network did not accept the message. */
  send(order: MessageOrder): Promise<void>;
  listen(listener: MessageListener): void;
  /** The listener gets no event after it. */
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
