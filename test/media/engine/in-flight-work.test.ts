// @requirement Fair use: Sandbox jobs wait while live keys have work.
import { expect, it } from 'vitest';
import { InFlightWork } from '../../../src/media/engine/in-flight-work.ts';

it('wakes waiters for idle live work when the last of it has ended, and not for sandbox work', async () => {
  const work = new InFlightWork();
  const forever = new AbortController().signal;
  await work.whenLiveIdle(forever);
  work.began('trial');
  await work.whenLiveIdle(forever);
  work.began('live');
  work.began('live');
  let rested = false;
  const waiting = work.whenLiveIdle(forever).then(() => {
    rested = true;
  });
  work.ended('live');
  work.ended('trial');
  await Promise.resolve();
  expect(rested).toBe(false);
  work.ended('live');
  await waiting;
});

it('lets a wait end that has lasted long enough, and keeps nothing of it', async () => {
  const work = new InFlightWork();
  work.began('live');
  const enough = new AbortController();
  const waiting = work.whenLiveIdle(enough.signal);
  enough.abort();
  await waiting;
  await work.whenLiveIdle(enough.signal);
  work.ended('live');
});
