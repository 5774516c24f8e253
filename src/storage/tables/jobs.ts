/** Work that waits, runs or has died. What is done is deleted: the room that asked for it keeps the outcome. */
export interface JobRow {
  id: string;
  queue: string;
  tenant: string;
  /** Smaller goes first. */
  priority: number;
  state: 'waiting' | 'running' | 'dead';
  payload: string;
  /** Claims since the last checkpoint. */
  attempts: number;
  max_attempts: number;
  run_at: number;
  /** Grows with every claim: what an earlier holder still writes is refused by it. */
  fence: number;
  worker: string | null;
  lease_until: number | null;
  cancel_requested: number;
  /** Thousandths. */
  progress: number;
  last_error: string | null;
  created_at: number;
}

/** When each tenant of a queue was last served: the fairness between them. */
export interface JobTurnRow {
  queue: string;
  tenant: string;
  turn: number;
}

/** Rows of the tables that the jobs room owns. */
export interface JobsTables {
  jobs: JobRow;
  job_turns: JobTurnRow;
}
