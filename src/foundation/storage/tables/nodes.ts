/** A node owns its live calls as long as it renews its lease. */
export interface NodeRow {
  id: string;
  started_at: number;
  seen_at: number;
  fence: number;
  is_lost: number;
  /** Other nodes reach it there; null where they cannot. */
  url: string | null;
}

export interface NodesTables {
  nodes: NodeRow;
}
