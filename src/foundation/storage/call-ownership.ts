import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * Legs and sessions get this `seen_at`, so that nodes of a version without leases, which judge by it, do not end
 * them.
 */
export const SEEN_BY_LEASE = 8_640_000_000_000_000;

export const isOwnerGone = (): RawBuilder<SqlBool> => sql<SqlBool>`(
  calls.node_id is not null and not exists (
    select 1 from nodes where nodes.id = calls.node_id and nodes.is_lost = 0
  )
)`;
