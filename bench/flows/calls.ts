import { randomFrom } from '../../src/foundation/platform/seeded-random.ts';
import type { Business } from './business.ts';
import { BUSINESSES } from './businesses/index.ts';
import { callOf, type Mutation, type Outcome } from './call.ts';
import { CALLERS, type Caller } from './callers.ts';
import { scriptedModel } from './model.ts';

export const SEED = 20_261_128;

export const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

export interface Call extends Outcome {
  readonly caller: Caller;
  readonly business: Business;
}

export const skipsIn = (calls: readonly Call[]): number => sum(calls.map(({ skipped }) => skipped.length));
export const refusalsIn = (calls: readonly Call[]): number => sum(calls.map(({ refused }) => refused));
export const shareOf = (calls: readonly Call[]): number =>
  (100 * calls.filter(({ completed }) => completed).length) / calls.length;
export const willing = (calls: readonly Call[]): Call[] => calls.filter(({ caller }) => caller.cooperates);

export async function callsWith(mutation: Mutation, rounds: number): Promise<Call[]> {
  const random = randomFrom(SEED);
  const calls: Call[] = [];
  for (const business of BUSINESSES)
    for (let round = 0; round < rounds; round++)
      for (const caller of CALLERS)
        calls.push({
          ...(await callOf({ business, caller, random, model: scriptedModel, mutation })),
          caller,
          business,
        });
  return calls;
}
