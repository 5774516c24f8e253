// @requirement Providers: One organization's failures open a provider's circuit for that organization alone, however many they are.
import { expect, it } from 'vitest';
import { ProviderCircuitBreaker } from '../../../src/speech/providers/circuit-breaker.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

function opened() {
  const clock = new ManualClock();
  const breaker = new ProviderCircuitBreaker(clock);
  const fails = (owner: string, afterMs = 0) => {
    clock.advance(afterMs);
    breaker.onFailure('voice', owner);
  };
  return { clock, breaker, fails, admits: (owner: string) => breaker.admits('voice', owner) };
}

it('is open for one that fails, and for longer each time', () => {
  const { clock, fails, admits } = opened();
  fails('org_1');
  expect([admits('org_1'), admits('org_2')]).toEqual([false, true]);
  clock.advance(5_000);
  expect([admits('org_1'), admits('org_1')]).toEqual([true, false]);
  fails('org_1');
  clock.advance(9_999);
  expect(admits('org_1')).toBe(false);
  clock.advance(1);
  expect(admits('org_1')).toBe(true);
});

it('is open for all after failures of two, and closed for a third however often one of them goes on to fail', () => {
  const { clock, fails, admits } = opened();
  fails('org_2');
  fails('org_1');
  expect(admits('org_3')).toBe(false);
  for (const pause of [0, 1_000, 4_000]) fails('org_1', pause);
  expect(admits('org_3'), 'five seconds after the second failed').toBe(true);
  for (const pause of [5_000, 10_000, 20_000]) fails('org_1', pause);
  expect(admits('org_3')).toBe(true);
  clock.advance(5_000);
  fails('org_2');
  expect(admits('org_3'), 'two fail in turn').toBe(false);
});

it('is closed for all by a success of any, and by time', () => {
  const { breaker, clock, fails, admits } = opened();
  fails('org_1');
  breaker.onSuccess('voice', 'org_3');
  fails('org_2');
  expect(admits('org_3')).toBe(true);
  clock.advance(300_001);
  fails('org_1');
  expect(admits('org_3'), 'five minutes after the failure of another').toBe(true);
});

it('of a dead provider is tried once in five minutes in the end, however many customers there are', () => {
  const { clock, fails, admits } = opened();
  const tried: number[] = [];
  for (let second = 0; second < 3_600; second += 1) {
    clock.advance(1_000);
    const owner = `org_${second}`;
    if (!admits(owner)) continue;
    tried.push(second);
    fails(owner);
  }
  const pauses = tried.slice(1).map((second, at) => second - (tried[at] as number));
  expect(pauses.slice(-5)).toEqual([300, 300, 300, 300, 300]);
  expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
});
