/**
 * npm run bench -- scale: simulates clusters of up to 100,000 calls at once, with failures of nodes, of a rack and of
 * the database, from the costs that were measured of a call, a node and the database. The first limits are named.
 */
import { type Report, runBench } from '../harness/index.ts';
import {
  CALL_S,
  FAILOVER_S,
  FAULTS,
  firstLimits,
  ONE_DATABASE,
  type Plan,
  STEP_S,
  simulate,
} from './simulation.ts';

const POOLED = { ...ONE_DATABASE, isBatched: true, connectionsPerNode: 1 } as const;
const PLANS: readonly (readonly [string, Plan])[] = [
  ['as it is', { ...ONE_DATABASE, calls: 1_000 }],
  ['as it is', { ...ONE_DATABASE, calls: 5_000 }],
  ['as it is', { ...ONE_DATABASE, calls: 100_000 }],
  ['batched and pooled', { ...POOLED, calls: 10_000 }],
  ['batched and pooled', { ...POOLED, calls: 30_000 }],
  ['batched and pooled', { ...POOLED, calls: 100_000 }],
  ['batched and pooled, 10 cells', { ...POOLED, cells: 10, calls: 100_000 }],
];

function write(report: Report): void {
  const runs = PLANS.map(([name, plan]) => ({ name, plan, of: simulate(plan) }));
  report.text(
    `A step of the simulation is ${STEP_S} s. Calls begin as a Poisson process and last ${CALL_S} s in the mean. A node has ${ONE_DATABASE.nodeCores} cores. After ${FAULTS.node} s a node dies, after ${FAULTS.rack} s a tenth of all nodes, ` +
      `after ${FAULTS.database} s the primary, whose standby takes over after ${FAILOVER_S} s. The costs are those of [costs.ts](../cluster/costs.ts), where each says how it was measured. A database core is assumed to scale in proportion; nothing here was run with more than this machine has.`,
  );
  report.table(
    [
      'plan',
      'calls',
      'nodes',
      'transactions a second, a database',
      'of its capacity, %',
      'write p95, ms',
      'connections, a database',
      'notifications delivered a second',
      'calls cut',
      'lost',
      'resumed p95, s',
      'backlog after failover, s',
    ],
    runs.map(({ name, plan, of }) => [
      name,
      plan.calls,
      of.nodes,
      of.transactionsPerS,
      100 * of.databaseUse,
      of.writeDelayP95Ms,
      of.connections,
      of.notificationsPerS,
      of.cut,
      of.lost,
      of.resumeP95S,
      of.backlogS,
    ]),
  );
  for (const { name, plan, of } of runs) {
    if (plan.calls !== 100_000) continue;
    report.figure({
      name: `100,000 calls, ${name}: calls lost, of those cut`,
      value: (100 * of.lost) / of.cut,
      unit: '%',
      goal: { atMost: 5 },
    });
    report.figure({
      name: `100,000 calls, ${name}: use of a database`,
      value: 100 * of.databaseUse,
      unit: '%',
      goal: { atMost: 70 },
    });
  }
  const limits = firstLimits();
  report.heading('The first limits');
  report.table(['limit', 'reached with calls at once', 'because'], limits);
}

await runBench('scale', 'Scale: clusters to 100,000 calls, simulated', (report) => write(report));
