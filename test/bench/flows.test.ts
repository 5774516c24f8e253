import { expect, it } from 'vitest';
import { BUSINESSES } from '../../bench/flows/businesses/index.ts';
import { MUTATIONS, type Mutation } from '../../bench/flows/call.ts';
import { CALLERS, MANNERS } from '../../bench/flows/callers.ts';
import { callsWith, shareOf, skipsIn, willing } from '../../bench/flows/calls.ts';
import { checkFlow } from '../../src/conversation/flows/index.ts';

it('plays flows that a save takes, and callers with words of their own', () => {
  expect(BUSINESSES.map(({ flow }) => checkFlow(flow).problems)).toEqual(BUSINESSES.map(() => []));
  expect(CALLERS).toHaveLength(40);
  expect(new Set(CALLERS.map(({ wish }) => wish)).size).toBe(40);
  expect(MANNERS.map((manner) => CALLERS.filter((caller) => caller.manner === manner).length)).toEqual([
    8, 8, 8, 8, 8,
  ]);
});

// @requirement Agents: A flow's required steps are not skipped, whatever the caller and the model do.
it('sees no step skipped by a caller or by a model that misbehaves', async () => {
  const calls = await callsWith('none', 1);
  expect(skipsIn(calls)).toBe(0);
  expect(shareOf(willing(calls))).toBeGreaterThanOrEqual(95);
});

it.each((Object.keys(MUTATIONS) as Mutation[]).filter((one) => one !== 'none'))(
  'sees skipped steps where the check is taken away: %s',
  async (mutation) => expect(skipsIn(await callsWith(mutation, 1))).toBeGreaterThan(0),
);
