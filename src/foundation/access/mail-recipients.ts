import { createHash, createHmac } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { Storage, Tables } from '../storage/index.ts';
import type { MailRecipientRow } from '../storage/tables/access.ts';
import { canonicalEmail } from './accounts.ts';
import { NO_MAIL, type OutboundMail } from './contract.ts';
import { countMailAgainstCaps, nameInMail } from './mail-caps.ts';

/** An unused link expires for confirmation after this time. A used link continues to unsubscribe. */
const LIFETIME_MS = 7 * 86_400_000;
const TOKEN = /^[0-9A-Za-z_-]{43}$/;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const isExpired = (): ApiError => new ApiError('not_found', 'The link is unknown or has expired.');

export interface MailRecipientsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secret: Buffer;
  readonly mail?: OutboundMail | undefined;
  readonly baseUrl: () => string;
}

export interface RecipientConfirmation {
  readonly email: string;
  readonly organization: string;
  readonly confirmed: boolean;
}

export interface RecipientMail {
  readonly to: string;
  readonly organization: string;
  readonly stopUrl: string;
}

type Row = Pick<MailRecipientRow, 'org_id' | 'email' | 'asked_at' | 'confirmed_at' | 'declined_at'>;

/**
 * Manages the addresses that get an organization's events by mail. Each confirms by a link and unsubscribes by the
 * same link.
 */
export class MailRecipients {
  readonly #options: MailRecipientsOptions;
  readonly #mail: OutboundMail;

  constructor(options: MailRecipientsOptions) {
    this.#options = options;
    this.#mail = options.mail ?? NO_MAIL;
  }

  async requestConfirmation(
    trx: Transaction<Tables>,
    orgId: string,
    addresses: readonly string[],
  ): Promise<void> {
    const { clock } = this.#options;
    const known = new Map((await this.#rows(trx, orgId, addresses)).map((row) => [row.email, row]));
    for (const email of new Set(addresses.map(canonicalEmail))) {
      const row = known.get(email);
      if (row !== undefined && (row.confirmed_at !== null || row.declined_at !== null)) continue;
      const now = clock.now();
      await countMailAgainstCaps(trx, { kind: 'confirmation', orgId, email }, now);
      const token = this.#tokenOf({ org_id: orgId, email, asked_at: now });
      const asked = { hash: hashOf(token), asked_at: now };
      await trx
        .insertInto('mail_recipients')
        .values({ org_id: orgId, email, ...asked, confirmed_at: null, declined_at: null })
        .onConflict((conflict) => conflict.columns(['org_id', 'email']).doUpdateSet(asked))
        .execute();
      await this.#mail.enqueue(trx, orgId, {
        to: [email],
        subject: 'Confirm that you want to receive email from Trunkline',
        text: `An organization that calls itself "${await this.#nameOf(trx, orgId)}" wants to send you email about events in its telephone calls.\nTo receive these emails, open this link within 7 days and confirm:\n\n${this.#urlOf(token)}\n\nIf you do nothing, you receive no such email. With the same link you can refuse it permanently.\n`,
      });
    }
  }

  async unconfirmed(
    db: Kysely<Tables>,
    orgId: string,
    addresses: readonly string[],
  ): Promise<readonly string[]> {
    const rows = await this.#rows(db, orgId, addresses);
    const confirmed = new Set(
      rows.filter(({ confirmed_at }) => confirmed_at !== null).map(({ email }) => email),
    );
    return addresses.filter((address) => !confirmed.has(canonicalEmail(address)));
  }

  /** Returns a mail for each confirmed address and counts it. Throws at the organization's daily cap. */
  async mailsFor(orgId: string, addresses: readonly string[]): Promise<readonly RecipientMail[]> {
    const { storage, clock } = this.#options;
    return await storage.transaction(async (trx) => {
      const rows = (await this.#rows(trx, orgId, addresses)).filter(
        ({ confirmed_at }) => confirmed_at !== null,
      );
      const now = clock.now();
      for (const { email } of rows) await countMailAgainstCaps(trx, { kind: 'event', orgId, email }, now);
      const organization = await this.#nameOf(trx, orgId);
      return rows.map((row) => ({
        to: row.email,
        organization,
        stopUrl: this.#urlOf(this.#tokenOf(row)),
      }));
    });
  }

  async describe(token: string): Promise<RecipientConfirmation> {
    const row = await this.#linked(this.#options.storage.db, token);
    return {
      email: row.email,
      organization: await this.#nameOf(this.#options.storage.db, row.org_id),
      confirmed: row.confirmed_at !== null,
    };
  }

  async recordChoice(token: string, wants: boolean): Promise<RecipientConfirmation> {
    const { storage, clock } = this.#options;
    await storage.transaction(async (trx) => {
      const { org_id, email } = await this.#linked(trx, token);
      const now = clock.now();
      await trx
        .updateTable('mail_recipients')
        .set({ confirmed_at: wants ? now : null, declined_at: wants ? null : now })
        .where('org_id', '=', org_id)
        .where('email', '=', email)
        .execute();
    });
    return await this.describe(token);
  }

  async #linked(db: Kysely<Tables>, token: string): Promise<Row> {
    const row = TOKEN.test(token)
      ? await db
          .selectFrom('mail_recipients')
          .select(['org_id', 'email', 'asked_at', 'confirmed_at', 'declined_at'])
          .where('hash', '=', hashOf(token))
          .executeTakeFirst()
      : undefined;
    if (row === undefined) throw isExpired();
    const answered = row.confirmed_at !== null || row.declined_at !== null;
    if (!answered && Number(row.asked_at) + LIFETIME_MS <= this.#options.clock.now()) throw isExpired();
    return row;
  }

  async #rows(db: Kysely<Tables>, orgId: string, addresses: readonly string[]): Promise<Row[]> {
    if (addresses.length === 0) return [];
    return await db
      .selectFrom('mail_recipients')
      .select(['org_id', 'email', 'asked_at', 'confirmed_at', 'declined_at'])
      .where('org_id', '=', orgId)
      .where('email', 'in', addresses.map(canonicalEmail))
      .orderBy('email')
      .execute();
  }

  async #nameOf(db: Kysely<Tables>, orgId: string): Promise<string> {
    const row = await db
      .selectFrom('organizations')
      .select('name')
      .where('id', '=', orgId)
      .executeTakeFirst();
    return nameInMail(row?.name ?? '');
  }

  /** Derives the token again for each mail, because the database stores only its hash. */
  #tokenOf({ org_id, email, asked_at }: Pick<Row, 'org_id' | 'email' | 'asked_at'>): string {
    return createHmac('sha256', this.#options.secret)
      .update(`mail recipient ${org_id} ${email} ${asked_at}`)
      .digest('base64url');
  }

  #urlOf(token: string): string {
    return `${this.#options.baseUrl()}/auth/recipients/${token}`;
  }
}
