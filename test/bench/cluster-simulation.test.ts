import { describe, expect, it } from 'vitest';
import { Random } from '../../bench/cluster/random.ts';
import { firstLimits, ONE_DATABASE, simulate } from '../../bench/cluster/simulation.ts';

const plan = { ...ONE_DATABASE, calls: 1_000 };

describe('the simulation of a cluster', () => {
  it('has the same answer for the same seed', () => {
    expect(simulate(plan, new Random(1))).toEqual(simulate(plan, new Random(1)));
  });

  it('loses no call of nodes that die where the others have lanes and the database has capacity', () => {
    const { cut, lost, databaseUse, resumeP95S } = simulate(plan);
    expect(cut).toBeGreaterThan(100);
    expect(lost).toBe(0);
    expect(databaseUse).toBeLessThan(0.5);
    expect(resumeP95S).toBeLessThan(5);
  });

  it('loses calls where the database can not serve their claims in time', () => {
    const { lost, databaseUse } = simulate({ ...plan, calls: 50_000 });
    expect(databaseUse).toBeGreaterThan(1);
    expect(lost).toBeGreaterThan(0);
  });

  it('needs as much of each database as its cell has calls', () => {
    const batched = { ...plan, isBatched: true, calls: 10_000 };
    const whole = simulate(batched);
    const split = simulate({ ...batched, cells: 10 });
    expect(split.databaseUse).toBeLessThan(whole.databaseUse / 8);
    expect(split.connections).toBeLessThan(whole.connections / 5);
  });

  it('names the limits in the order in which a growing cluster meets them', () => {
    const calls = firstLimits().map(([, at]) => at);
    expect(calls).toEqual([...calls].sort((a, b) => a - b));
    expect(calls.length).toBeGreaterThan(3);
  });
});
