import { expect, it } from 'vitest';
import { EarlyEvents } from '../../../src/telephony/msgapp/early-events.ts';

const event = (callId: string, status: 'ringing' | 'accepted' = 'ringing') =>
  ({ kind: 'status', callId, status }) as unknown as Parameters<EarlyEvents['add']>[1];

it('events of one number evict none of another', () => {
  const early = new EarlyEvents();
  early.add('num_quiet', event('first'));
  early.add('num_quiet', event('first', 'accepted'));
  for (let at = 0; at < 1_000; at += 1) early.add('num_busy', event(`call ${at}`));
  expect(early.take('num_quiet', 'first')).toEqual([event('first'), event('first', 'accepted')]);
  expect(early.take('num_quiet', 'first')).toEqual([]);
});

it('a number has a bound of its own, and its latest calls stay', () => {
  const early = new EarlyEvents();
  for (let at = 0; at < 60; at += 1) early.add('num_1', event(`call ${at}`));
  expect(early.take('num_1', 'call 9')).toEqual([]);
  expect(early.take('num_1', 'call 10')).toHaveLength(1);
  for (let at = 0; at < 30; at += 1) early.add('num_1', event('call 59'));
  expect(early.take('num_1', 'call 59')).toHaveLength(10);
});
