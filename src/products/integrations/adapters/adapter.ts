import type { Static, TSchema } from 'typebox';
import type { MailRecipients } from '../../../foundation/access/index.ts';
import type { Mailer } from '../../../foundation/mail/index.ts';
import type { DeliveryResult, OutboundEvent, OutboundFetch } from '../../../foundation/webhooks/index.ts';

export interface Outside {
  readonly gate: OutboundFetch & { check(url: string): void };
  /** It is null where no mail server is configured. */
  readonly mailer: Mailer | null;
  readonly recipients: MailRecipients;
}

export interface Adapter<S extends TSchema = TSchema> {
  /** The schema of the customer's settings, which are stored sealed. */
  readonly settings: S;
  /** Values of these settings are never shown. */
  readonly secrets: readonly string[];
  /** Returns the address that deliveries show; throws SettingsError for an invalid one. */
  address(url: string | null, settings: Static<S>, outside: Outside): string;
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

/** Keeps the adapter's own types and returns the general type of the table. */
export const adapter = <S extends TSchema>(own: Adapter<S>): Adapter => own as unknown as Adapter;

export class SettingsError extends Error {
  readonly param: string;

  constructor(param: string, message: string) {
    super(message);
    this.name = 'SettingsError';
    this.param = param;
  }
}

/** Requires a public https URL, as most adapters do. */
export function demandUrl(url: string | null, { gate }: Outside): string {
  if (url === null) throw new SettingsError('url', 'A destination of this kind requires a url.');
  gate.check(url);
  return url;
}
