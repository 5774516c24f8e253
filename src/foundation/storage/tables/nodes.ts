import type { Generated, Selectable } from 'kysely';

/** A node owns its live calls as long as it renews its lease. */
interface NodeTable {
  id: string;
  started_at: number;
  seen_at: number;
  fence: number;
  is_lost: number;
  /** Other nodes reach it there; null where they cannot. */
  url: string | null;
  /** Clients reach it there; null where only the load balancer does. */
  public_url: string | null;
  /** How many more calls of agents fit on it; 0 while it drains. */
  calls_free: Generated<number>;
  calls_capacity: Generated<number>;
}

export type NodeRow = Selectable<NodeTable>;

export interface NodesTables {
  nodes: NodeTable;
}
