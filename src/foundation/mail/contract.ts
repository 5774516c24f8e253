/** A mail as modules write it; its sender is the operator's setting. */
export interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** Carried as the message's own id, so that one which is sent twice is seen as one. */
  readonly id?: string;
}

/** How mail leaves. */
export interface Mailer {
  /** Resolves when the server has taken it for every recipient; throws MailError. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** The server did not take it. */
export class MailError extends Error {
  /** Trying again would not help: the address is unknown, or the server refuses us for good. */
  readonly permanent: boolean;

  constructor(message: string, permanent: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MailError';
    this.permanent = permanent;
  }
}
