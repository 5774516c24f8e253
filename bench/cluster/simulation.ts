/** A cluster in steps of a tenth of a second: calls, nodes that fail, and a database that serves so much in a step. */
import { percentile } from '../harness/index.ts';
import { BATCHED, COSTS } from './costs.ts';
import { Random } from './random.ts';

const SEED = 20_261_129;
export const STEP_S = 0.1;
const WARM_S = 120;
const LENGTH_S = 900;
export const CALL_S = 180;
/** A cluster is provisioned with so many lanes for each call: what is left when a rack fails still carries all. */
const HEADROOM = 1.25;
const RACK_SHARE = 0.1;
const RESUME_WITHIN_S = 30;
export const FAULTS = { node: 240, rack: 420, database: 600 } as const;
/** The standby takes over after this, as measured by `npm run test:cluster -- --long`. */
export const FAILOVER_S = COSTS.failoverS;

export interface Plan {
  readonly calls: number;
  readonly nodeCores: number;
  readonly databaseCores: number;
  /** Independent databases, each with its own nodes; a call stays in the cell where it began. */
  readonly cells: number;
  /** Connections of a node: pooled ones are shared by a pooler of the machine of the database. */
  readonly connectionsPerNode: number;
  /** A node rechecks its calls in one statement, and answers health checks from a cache. */
  readonly isBatched: boolean;
}

export interface Simulated {
  readonly nodes: number;
  readonly transactionsPerS: number;
  /** Share of the database's capacity that is used while nothing fails. */
  readonly databaseUse: number;
  readonly writeDelayP95Ms: number;
  readonly connections: number;
  readonly notificationsPerS: number;
  readonly cut: number;
  readonly lost: number;
  readonly resumeP95S: number;
  readonly backlogS: number;
}

interface Waiting {
  count: number;
  readonly sinceS: number;
}

/** One cell: its nodes are counted, its database is a queue that serves a bounded number of transactions in a step. */
export function simulate(plan: Plan, random = new Random(SEED)): Simulated {
  const calls = plan.calls / plan.cells;
  const costs = plan.isBatched ? BATCHED : COSTS;
  const perNode = Math.floor(COSTS.callsPerCore * plan.nodeCores);
  const nodes = Math.max(3, Math.ceil((HEADROOM * calls) / perNode));
  const served = COSTS.transactionsPerDatabaseCore * plan.databaseCores * STEP_S;
  const live = Array.from(
    { length: nodes },
    (_, at) => Math.floor(calls / nodes) + (at < calls % nodes ? 1 : 0),
  );
  const isDown = new Set<number>();
  const waiting: Waiting[] = [];
  const delays: number[] = [];
  const resumeTimes: number[] = [];
  let [backlog, transactions, cut, lost, longestBacklogS, notifications] = [0, 0, 0, 0, 0, 0];

  const total = () => live.reduce((sum, count) => sum + count, 0);
  const begin = (count: number): number => {
    let left = count;
    const up = live.map((_, at) => at).filter((at) => !isDown.has(at));
    for (const at of up) {
      const share = Math.min(left, perNode - live[at]!, Math.ceil(count / up.length));
      live[at]! += share;
      left -= share;
      if (left === 0) break;
    }
    return left;
  };
  const fail = (at: number, nowS: number): void => {
    if (isDown.has(at)) return;
    isDown.add(at);
    if (live[at]! > 0) waiting.push({ count: live[at]!, sinceS: nowS });
    cut += live[at]!;
    live[at] = 0;
  };

  for (let step = 0; step * STEP_S < LENGTH_S; step++) {
    const nowS = step * STEP_S;
    const isAway = nowS >= FAULTS.database && nowS < FAULTS.database + FAILOVER_S;
    if (step === FAULTS.node / STEP_S) fail(0, nowS);
    if (step === FAULTS.rack / STEP_S) for (let at = 1; at <= nodes * RACK_SHARE; at++) fail(at, nowS);
    const running = total();
    const ended = random.binomial(running, STEP_S / CALL_S);
    removeEnded(live, ended, running);
    const wanted = random.poisson((calls * STEP_S) / CALL_S);
    // A database that is away refuses new calls, and lets those that run go on.
    const begun = isAway ? 0 : wanted - begin(wanted);
    const writes = random.poisson((running * costs.transactionsPerCallMinute * STEP_S) / 60);
    const atEdges = begun * COSTS.transactionsToBegin + ended * COSTS.transactionsToEnd;
    const idle = nodes * costs.transactionsPerIdleNodeS * STEP_S;
    let resumed = 0;
    for (const group of waiting) {
      if (isAway || group.count === 0) continue;
      // Clients reconnect with a spread of a second; each claim is served by the database in its turn.
      const tries = random.binomial(group.count, Math.min(1, STEP_S / 0.5));
      const claims = Math.min(
        tries,
        Math.floor((served - Math.min(served, backlog)) / COSTS.transactionsToResume),
      );
      const done = claims - begin(claims);
      group.count -= done;
      resumed += done;
      for (let at = 0; at < Math.min(done, 20); at++)
        resumeTimes.push(nowS - group.sinceS + COSTS.detectionS + backlog / (served / STEP_S));
      if (nowS - group.sinceS > RESUME_WITHIN_S) {
        lost += group.count;
        group.count = 0;
      }
    }
    const asked = writes + atEdges + idle + resumed * COSTS.transactionsToResume;
    backlog = Math.max(0, backlog + asked - (isAway ? 0 : served));
    const delayS = backlog / (served / STEP_S);
    if (nowS > WARM_S && nowS < FAULTS.node) {
      delays.push(1000 * (delayS + COSTS.transactionS));
      transactions += asked;
      notifications += (begun + ended) * COSTS.notificationsPerCall * nodes;
    }
    if (nowS > FAULTS.database)
      longestBacklogS = Math.max(longestBacklogS, backlog > served ? nowS - FAULTS.database : 0);
  }
  const observedS = FAULTS.node - WARM_S;
  return {
    nodes: nodes * plan.cells,
    transactionsPerS: transactions / observedS,
    databaseUse: transactions / observedS / (served / STEP_S),
    writeDelayP95Ms: percentile(delays, 0.95),
    connections: nodes * plan.connectionsPerNode,
    notificationsPerS: notifications / observedS,
    cut: cut * plan.cells,
    lost: lost * plan.cells,
    resumeP95S: resumeTimes.length === 0 ? 0 : percentile(resumeTimes, 0.95),
    backlogS: longestBacklogS,
  };
}

function removeEnded(live: number[], ended: number, running: number): void {
  let left = ended;
  for (let at = 0; at < live.length && left > 0; at++) {
    const share = Math.min(live[at]!, Math.ceil((ended * live[at]!) / Math.max(1, running)), left);
    live[at]! -= share;
    left -= share;
  }
}

export const ONE_DATABASE = {
  nodeCores: 32,
  databaseCores: 16,
  cells: 1,
  connectionsPerNode: 11,
  isBatched: false,
} as const;

/** Where a cluster on one database meets each limit, with nodes of 32 cores and a database of 16. */
export function firstLimits(): (readonly [string, number, string])[] {
  const perNode = COSTS.callsPerCore * ONE_DATABASE.nodeCores;
  const capacity = COSTS.transactionsPerDatabaseCore * ONE_DATABASE.databaseCores;
  const atEdges = (COSTS.transactionsToBegin + COSTS.transactionsToEnd) / CALL_S;
  const within = (share: number, { transactionsPerCallMinute, transactionsPerIdleNodeS }: CallCosts) =>
    (share * capacity) /
    (transactionsPerCallMinute / 60 + atEdges + (HEADROOM / perNode) * transactionsPerIdleNodeS);
  const connections = (most: number) => (most / ONE_DATABASE.connectionsPerNode) * (perNode / HEADROOM);
  // Every notification goes to every node: the deliveries grow with the square of the calls.
  const listen = Math.sqrt(
    (COSTS.notificationsPerDatabaseS * CALL_S * perNode) / (COSTS.notificationsPerCall * HEADROOM),
  );
  const limits: (readonly [string, number, string])[] = [
    [
      '100 connections, the default of PostgreSQL',
      connections(100),
      'a node holds ten, and one that listens',
    ],
    ['500 connections', connections(500), 'a pooler in transaction mode is next'],
    ['70 % of the database', within(0.7, COSTS), 'each call is rechecked every 5 s by itself'],
    [
      '70 % of the database, rechecks batched',
      within(0.7, BATCHED),
      'checkpoints, beginnings and ends are left',
    ],
    ['LISTEN on every node', listen, 'deliveries grow with the square of the calls'],
  ];
  return limits.toSorted((a, b) => a[1] - b[1]);
}

type CallCosts = Record<'transactionsPerCallMinute' | 'transactionsPerIdleNodeS', number>;
