export interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** It becomes the Message-ID, so that mail clients detect a repeated mail. */
  readonly id?: string;
}

export interface Mailer {
  /** Resolves when the server has accepted the mail for every recipient; throws MailError. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

export class MailError extends Error {
  /** A retry would not help: the address is unknown, or the server refuses the mail for good. */
  readonly permanent: boolean;

  constructor(message: string, permanent: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MailError';
    this.permanent = permanent;
  }
}
