import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** A node of a version before, which takes no lease, says this often enough that its call lives. */
const UNOWNED_LOST_AFTER_MS = 60_000;

/**
 * A call that names its node has this `seen_at`: nodes of the version before judge by it, and must not end the
 * call.
 */
export const SEEN_BY_LEASE = 8_640_000_000_000_000;

/** Whether the node that owns a live call of `table` is gone: it has no lease, or was taken for lost. */
export const isOwnerGone = (
  table: 'omni_calls' | 'telephony_calls' | 'msgapp_calls',
  now: number,
): RawBuilder<SqlBool> => sql<SqlBool>`(
  (${sql.ref(`${table}.node_id`)} is null and ${sql.ref(`${table}.seen_at`)} < ${now - UNOWNED_LOST_AFTER_MS})
  or (${sql.ref(`${table}.node_id`)} is not null and not exists (
    select 1 from nodes where nodes.id = ${sql.ref(`${table}.node_id`)} and nodes.is_lost = 0
  ))
)`;
