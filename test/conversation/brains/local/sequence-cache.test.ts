// @requirement Local models: A local model keeps the prompt of a call and evaluates only what is new.
import { expect, it } from 'vitest';
import { SequenceCache } from '../../../../src/conversation/brains/local/sequence-cache.ts';

function places(most: number) {
  let made = 0;
  const stored = new SequenceCache(() => ++made, most);
  const turn = (call: string, owner: string): number | null => {
    const found = stored.acquire(call, owner);
    if (found !== null) stored.release(found);
    return found?.place ?? null;
  };
  return { stored, turn };
}

it('gives each call its own place again, whatever others did meanwhile', () => {
  const { turn } = places(3);
  expect(['a', 'b', 'c', 'b', 'a', 'c'].map((call) => turn(call, 'org'))).toEqual([1, 2, 3, 2, 1, 3]);
});

it('takes the place of the call that was idle longest', () => {
  const { turn } = places(2);
  for (const call of ['a', 'b', 'a']) turn(call, 'org');
  expect(turn('c', 'org')).toBe(2);
  expect(turn('a', 'org')).toBe(1);
});

it('takes it from the owner who holds most, not from the only call of another', () => {
  const { turn } = places(3);
  turn('lone', 'small');
  turn('a', 'large');
  turn('b', 'large');
  expect(turn('c', 'large')).toBe(2);
  expect(turn('lone', 'small')).toBe(1);
});

it('leaves places alone in which something is being done', () => {
  const { stored, turn } = places(2);
  const a = stored.acquire('a', 'org');
  expect(turn('b', 'org')).toBe(2);
  expect(turn('c', 'org')).toBe(2);
  const c = stored.acquire('c', 'org');
  expect(stored.acquire('d', 'org')).toBeNull();
  if (a !== null) stored.release(a);
  expect(turn('d', 'org')).toBe(1);
  expect(c?.place).toBe(2);
});

it('tells two owners apart whose calls have one name', () => {
  const { turn } = places(2);
  expect([turn('a', 'one'), turn('a', 'other'), turn('a', 'one')]).toEqual([1, 2, 1]);
});
