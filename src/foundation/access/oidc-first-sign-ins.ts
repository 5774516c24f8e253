import { createHash } from 'node:crypto';
import type { Selectable, Transaction } from 'kysely';
import type { AuditActor } from '../audit/index.ts';
import { ApiError } from '../platform/errors.ts';
import { randomBase62 } from '../platform/ids.ts';
import type { Tables } from '../storage/index.ts';
import type { OidcArrivalRow } from '../storage/tables/access.ts';
import type { MemberRole } from './contract.ts';
import { addMember, consumeInvitation } from './invitations.ts';
import type { OidcSignInOptions } from './oidc-sign-in.ts';

const LIFETIME_MS = 10 * 60_000;
const TICKET = /^[0-9A-Za-z]{43}$/;

const hashOf = (ticket: string): string => createHash('sha256').update(ticket).digest('hex');
const isExpired = (): ApiError =>
  new ApiError('not_found', 'The sign-in is unknown or has expired: start again at /auth/oidc/start.');

export interface OidcIdentity {
  readonly subject: string;
  readonly email: string;
  readonly name: string;
}

export interface InvitationChoice {
  readonly id: string;
  readonly role: MemberRole;
  readonly organization: { readonly id: string; readonly name: string };
  readonly expiresAt: number;
}

/**
 * Handles the first sign-in of invited people through the identity provider. They choose between the inviting
 * organizations and one of their own.
 */
export class OidcFirstSignIns {
  readonly #options: Omit<OidcSignInOptions, 'settings'>;

  constructor(options: Omit<OidcSignInOptions, 'settings'>) {
    this.#options = options;
  }

  async openIn(trx: Transaction<Tables>, arrival: OidcIdentity): Promise<string | null> {
    const now = this.#options.clock.now();
    if ((await this.#offersTo(trx, arrival.email)).length === 0) return null;
    await trx.deleteFrom('oidc_arrivals').where('expires_at', '<=', now).execute();
    const ticket = randomBase62(43);
    await trx
      .insertInto('oidc_arrivals')
      .values({ hash: hashOf(ticket), ...arrival, expires_at: now + LIFETIME_MS })
      .execute();
    return ticket;
  }

  async describe(
    ticket: string,
  ): Promise<{ readonly email: string; readonly offers: readonly InvitationChoice[] }> {
    const { db } = this.#options.storage;
    const row = TICKET.test(ticket)
      ? await db
          .selectFrom('oidc_arrivals')
          .selectAll()
          .where('hash', '=', hashOf(ticket))
          .where('expires_at', '>', this.#options.clock.now())
          .executeTakeFirst()
      : undefined;
    if (row === undefined) throw isExpired();
    return { email: row.email, offers: await this.#offersTo(db, row.email) };
  }

  async choose(ticket: string, invitationId: string | null, from: AuditActor): Promise<string> {
    const { storage, clock, accounts } = this.#options;
    await this.describe(ticket);
    return await storage.transaction(async (trx) => {
      const arrival = await consumeFirstSignIn(trx, ticket);
      const { email, name, subject } = arrival;
      if (invitationId === null)
        return await accounts.foundIn(trx, { email, name, oidcSubject: subject }, from);
      const now = clock.now();
      const invitation = await consumeInvitation(trx, { id: invitationId, email }, now);
      if (invitation === null)
        throw new ApiError('not_found', 'The invitation was withdrawn or has expired.', {
          param: 'invitation_id',
        });
      const joining = { name, passwordHash: '', oidcSubject: subject, isVerified: true };
      return await addMember(trx, now, invitation, joining, from);
    });
  }

  async #offersTo(
    db: Transaction<Tables> | OidcSignInOptions['storage']['db'],
    email: string,
  ): Promise<InvitationChoice[]> {
    const rows = await db
      .selectFrom('invitations as i')
      .innerJoin('organizations as o', 'o.id', 'i.org_id')
      .select(['i.id', 'i.role', 'i.org_id', 'i.expires_at', 'o.name'])
      .where('i.email', '=', email)
      .where('i.expires_at', '>', this.#options.clock.now())
      .orderBy('i.created_at')
      .orderBy('i.id')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      role: row.role,
      organization: { id: row.org_id, name: row.name },
      expiresAt: Number(row.expires_at),
    }));
  }
}

async function consumeFirstSignIn(
  trx: Transaction<Tables>,
  ticket: string,
): Promise<Selectable<OidcArrivalRow>> {
  const row = await trx
    .deleteFrom('oidc_arrivals')
    .where('hash', '=', hashOf(ticket))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw isExpired();
  return row;
}
