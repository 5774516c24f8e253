import type { Static, TSchema } from 'typebox';
import type { MailRecipients } from '../../../foundation/access/index.ts';
import type { Mailer } from '../../../foundation/mail/index.ts';
import type { DeliveryResult, OutboundEvent, OutboundFetch } from '../../../foundation/webhooks/index.ts';

export interface Outside {
  readonly gate: OutboundFetch & { check(url: string): void };
  /** The mailer is null when no mail server is configured. */
  readonly mailer: Mailer | null;
  readonly recipients: MailRecipients;
}

/** One way to bring events somewhere. */
export interface Adapter<S extends TSchema = TSchema> {
  /** The customer's settings, sealed. */
  readonly settings: S;
  /** Names of settings whose values are shown to nobody. */
  readonly secrets: readonly string[];
  /** Where it is, as deliveries show it; throws SettingsError where that cannot be. */
  address(url: string | null, settings: Static<S>, outside: Outside): string;
  /** One attempt. */
  deliver(
    parcel: OutboundEvent,
    place: Place<Static<S>>,
    outside: Outside,
    signal: AbortSignal,
  ): Promise<DeliveryResult>;
}

export interface Place<Settings> {
  readonly url: string;
  readonly settings: Settings;
}

/** Keeps an adapter's own types, and gives it the shape that the table holds. */
export const adapter = <S extends TSchema>(own: Adapter<S>): Adapter => own as unknown as Adapter;

export class SettingsError extends Error {
  readonly param: string;

  constructor(param: string, message: string) {
    super(message);
    this.name = 'SettingsError';
    this.param = param;
  }
}

/** Most adapters need a URL, and none but an https one in public. */
export function demandUrl(url: string | null, { gate }: Outside): string {
  if (url === null) throw new SettingsError('url', 'A destination of this kind needs a url.');
  gate.check(url);
  return url;
}
