/** A node owns its live calls as long as it renews its lease. */
export interface NodeRow {
  id: string;
  started_at: number;
  seen_at: number;
  /** It grows each time that another node declares this one lost. */
  fence: number;
  /** It is 1 from then until the node renews its lease. */
  is_lost: number;
  /** Other nodes reach it there; null where they cannot. */
  url: string | null;
}

export interface NodesTables {
  nodes: NodeRow;
}
