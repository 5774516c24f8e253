import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * Legs and sessions have this `seen_at`: nodes of a version before the leases judge by it, and must not end them.
 */
export const SEEN_BY_LEASE = 8_640_000_000_000_000;

/** Whether the node that owns a live call of `calls` is gone: it has no lease, or was taken for lost. */
export const isOwnerGone = (): RawBuilder<SqlBool> => sql<SqlBool>`(
  calls.node_id is not null and not exists (
    select 1 from nodes where nodes.id = calls.node_id and nodes.is_lost = 0
  )
)`;
