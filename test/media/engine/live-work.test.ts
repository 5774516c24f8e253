import { expect, it } from 'vitest';
import { LiveWork } from '../../../src/media/engine/live-work.ts';

it('wakes whoever waits for live work to rest, when the last of it has ended, and not for trials', async () => {
  const work = new LiveWork();
  const forever = new AbortController().signal;
  await work.atRest(forever);
  work.began('trial');
  await work.atRest(forever);
  work.began('live');
  work.began('live');
  let rested = false;
  const waiting = work.atRest(forever).then(() => {
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
  const work = new LiveWork();
  work.began('live');
  const enough = new AbortController();
  const waiting = work.atRest(enough.signal);
  enough.abort();
  await waiting;
  await work.atRest(enough.signal);
  work.ended('live');
});
