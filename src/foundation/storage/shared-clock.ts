import { sql } from 'kysely';
import type { BackgroundTasks } from '../platform/background-tasks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from './storage.ts';

const LOOK_EVERY_MS = 60_000;
const PROMPT_MS = 1_000;

export interface SharedClock extends Clock {
  /** So far is this node's own clock ahead of the database's; null where there is one node alone. */
  skewMs(): number | null;
}

/**
 * Provides one clock for all nodes of a database: the database server's, where there can be several nodes. Lease and
 * due times then mean the same on every node, even if their own clocks differ.
 */
export async function openSharedClock(
  storage: Storage,
  clock: Clock,
  background: BackgroundTasks,
): Promise<SharedClock> {
  let ahead = 0;
  const look = async () => {
    const asked = clock.monotonic();
    const { rows } = await sql<{
      now: number;
    }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(storage.db);
    const took = clock.monotonic() - asked;
    const now = rows[0]?.now;
    if (now !== undefined && took <= PROMPT_MS) ahead = Math.round(now + took / 2 - clock.now());
  };
  const onlyOne = storage.dialect !== 'postgres';
  if (!onlyOne) await look();
  if (!onlyOne) background.repeat('clock of the database', look, { everyMs: LOOK_EVERY_MS });
  return {
    now: () => clock.now() + ahead,
    monotonic: () => clock.monotonic(),
    after: (ms, task) => clock.after(ms, task),
    skewMs: () => (onlyOne ? null : -ahead),
  };
}
