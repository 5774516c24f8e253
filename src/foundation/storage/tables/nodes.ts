/** One row a node: it holds the live calls that name it for as long as it renews its lease. */
export interface NodeRow {
  id: string;
  started_at: number;
  seen_at: number;
  /** Grows each time that the node is taken for lost. */
  fence: number;
  /** 1 from when it is taken for lost until it renews its lease again. */
  is_lost: number;
  /** Other nodes reach it there; null where they cannot. */
  url: string | null;
}

export interface NodesTables {
  nodes: NodeRow;
}
