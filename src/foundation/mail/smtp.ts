import { createTransport, type Transporter } from 'nodemailer';
import { isLoopbackAddress } from '../platform/url-gate/index.ts';
import { type Mail, MailError, type Mailer } from './contract.ts';

export interface SmtpOptions {
  /** The URL is `smtp://user:password@host:587`, or `smtps://` for implicit TLS. */
  readonly url: string;
  readonly from: string;
}

const CONNECT_MS = 10_000;
const SILENCE_MS = 20_000;
const AT_ONCE = 4;
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

export class SmtpMailer implements Mailer {
  readonly #from: string;
  readonly #transport: Transporter;

  constructor({ url, from }: SmtpOptions) {
    this.#from = from;
    this.#transport = createTransport(transportOf(new URL(url)));
  }

  async send({ to, subject, text, html, id }: Mail): Promise<void> {
    try {
      await this.#transport.sendMail({
        from: this.#from,
        to: [...to],
        subject: oneLine(subject),
        text,
        ...(html === undefined ? {} : { html }),
        ...(id === undefined ? {} : { messageId: `<${id}@${domainOf(this.#from)}>` }),
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    } catch (error) {
      throw mailError(error);
    }
  }

  close(): void {
    this.#transport.close();
  }
}

function transportOf({ protocol, hostname, port, username, password }: URL) {
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'smtps:';
  return {
    host,
    port: Number(port) || (PORTS[protocol] as number),
    secure,
    // A password never leaves this machine in the clear.
    requireTLS: !secure && username !== '' && host !== 'localhost' && !isLoopbackAddress(host),
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    pool: true as const,
    maxConnections: AT_ONCE,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  };
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const domainOf = (from: string): string => /@([^>\s]+)/.exec(from)?.[1] ?? 'localhost';

interface SmtpReply {
  readonly responseCode?: number;
  readonly response?: string;
  readonly code?: string;
}

function mailError(error: unknown): MailError {
  const { responseCode, response, code } = error as SmtpReply;
  const permanent = code === 'EENVELOPE' && responseCode === undefined ? true : (responseCode ?? 0) >= 500;
  const said = response ?? (error as Error).message;
  return new MailError(`The mail server rejected the mail: ${oneLine(said).slice(0, 300)}`, permanent, {
    cause: error,
  });
}
