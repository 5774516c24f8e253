import type { Transaction } from 'kysely';
import { ApiError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { MailCountRow } from '../storage/tables/access.ts';
import type { Tables } from '../storage/tables/index.ts';
import { secondsOf } from './refusals.ts';

const WINDOW_MS = 24 * 3_600_000;

type Kind = MailCountRow['kind'];

/** The caps hold for a rolling 24 hours; null means no cap. The cap of an address counts over all organizations. */
const CAPS: Readonly<Record<Kind, { readonly org: number | null; readonly email: number | null }>> = {
  invitation: { org: 20, email: 3 },
  confirmation: { org: 20, email: 3 },
  event: { org: 100, email: null },
  notice: { org: null, email: 3 },
};

const NOUNS: Readonly<Record<Kind, string>> = {
  invitation: 'invitations',
  confirmation: 'requests to confirm an address',
  event: 'mails about events',
  notice: 'mails about its account',
};

export interface CountedMail {
  readonly kind: Kind;
  readonly orgId: string | null;
  readonly email: string;
}

/**
 * Throws `rate_limit_exceeded` at the daily cap of the organization or the address. The counts are rows, so all nodes
 * share them and two concurrent transactions cannot both take the last one.
 */
export async function countMailAgainstCaps(
  trx: Transaction<Tables>,
  { kind, orgId, email }: CountedMail,
  now: number,
): Promise<void> {
  await trx
    .deleteFrom('mail_counts')
    .where('at', '<=', now - WINDOW_MS)
    .execute();
  const caps = CAPS[kind];
  if (orgId !== null && caps.org !== null)
    await requireBelowCap(
      trx,
      { kind, column: 'org_id', value: orgId, cap: caps.org, whose: 'an organization' },
      now,
    );
  if (caps.email !== null)
    await requireBelowCap(
      trx,
      { kind, column: 'email', value: email, cap: caps.email, whose: 'an address' },
      now,
    );
  await trx
    .insertInto('mail_counts')
    .values({ id: newId('req'), kind, org_id: orgId, email, at: now })
    .execute();
}

interface MailCap {
  readonly kind: Kind;
  readonly column: 'org_id' | 'email';
  readonly value: string;
  readonly cap: number;
  readonly whose: string;
}

async function requireBelowCap(
  trx: Transaction<Tables>,
  { kind, column, value, cap, whose }: MailCap,
  now: number,
): Promise<void> {
  const sent = await trx
    .selectFrom('mail_counts')
    .select('at')
    .where('kind', '=', kind)
    .where(column, '=', value)
    .where('at', '>', now - WINDOW_MS)
    .orderBy('at', 'desc')
    .limit(cap)
    .execute();
  const oldest = sent.at(-1);
  if (sent.length < cap || oldest === undefined) return;
  throw new ApiError(
    'rate_limit_exceeded',
    `At most ${cap} ${NOUNS[kind]} are sent for ${whose} within 24 hours.`,
    { retryAfter: secondsOf(Number(oldest.at) + WINDOW_MS - now), detailed: true },
  );
}

const LONGEST_NAME = 60;

/** Reduces the name to one short line of letters and digits, which no mail client turns into a link. */
export function nameInMail(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}&'’ -]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...plain].slice(0, LONGEST_NAME).join('').trim() || 'an organization without a name';
}
