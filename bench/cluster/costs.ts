/**
 * These are the costs of a call, a node and the database, measured on 2 shared cores of AMD EPYC on 2026-11-29: calls
 * and nodes by `npm run test:cluster -- --long haproxy`, the database by `pgbench`.
 */
export const COSTS = {
  /** An idle node of 2 cores says that 4 calls fit (`trunkline_calls_capacity`). */
  callsPerCore: 2,
  /** A node without calls runs so many. Health checks of HAProxy's backends, which read every part, are taken to be most. */
  transactionsPerIdleNodeS: 27.5,
  /** A call with ten typed turns a minute runs so many: the larger of two counts with 20 calls, 34 and 15. With 4 calls the count is lost in what idle nodes do. */
  transactionsPerCallMinute: 34,
  transactionsToBegin: 12.6,
  /** The end of a call is taken to cost as much as its beginning. */
  transactionsToEnd: 12.6,
  /** The claim of a checkpoint was counted in the code. */
  transactionsToResume: 8,
  /** The wake-ups of queues at the end of a call were counted in the code; nobody watches. */
  notificationsPerCall: 2,
  /** Updates of a checkpoint of 4 kB by its key: one client with 2,381 a second kept one core busy. */
  transactionsPerDatabaseCore: 2_400,
  /** Twenty listening connections took so many deliveries a second in all. */
  notificationsPerDatabaseS: 20_000,
  /** One write by a node that waits for nobody. */
  transactionS: 0.002,
  /** Calls of a killed node were heard again after 0.7 s behind HAProxy. */
  detectionS: 0.7,
  /** A manager of failovers notices the loss in about this time; the promotion itself took 0.2 s. */
  failoverS: 10,
} as const;

/** These are goals of the plan, and not measured: rechecks of all calls of a node in one statement, and cached checks. */
export const BATCHED = {
  transactionsPerIdleNodeS: 5,
  /** The limit of the writer of checkpoints. */
  transactionsPerCallMinute: 20,
} as const;
