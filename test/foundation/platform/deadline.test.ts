// @requirement Fair use: Sandbox jobs wait while live keys have work.
import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { deadline } from '../../../src/foundation/platform/deadline.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const fired = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }));

it('fires though nobody keeps it, and memory is collected meanwhile', async () => {
  const outer = new AbortController();
  const reason = fired(AbortSignal.any([deadline(50, outer.signal)]));
  for (let turn = 0; turn < 5; turn += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(await reason).toMatchObject({ name: 'TimeoutError' });
});

it('fires with what it follows, at once where that has fired already', async () => {
  const outer = new AbortController();
  const signal = deadline(60_000, new AbortController().signal, outer.signal);
  const reason = fired(signal);
  outer.abort('gone');
  expect(await reason).toBe('gone');
  expect(deadline(60_000, outer.signal)).toMatchObject({ aborted: true, reason: 'gone' });
});

it('listens once to what many follow, and no longer than they last', async () => {
  const outer = new AbortController();
  const listening = () => getEventListeners(outer.signal, 'abort').length;
  const reasons = Array.from({ length: 12 }, () => fired(deadline(20, outer.signal)));
  expect(listening()).toBe(1);
  for (const reason of await Promise.all(reasons)) expect(reason).toMatchObject({ name: 'TimeoutError' });
  expect(listening()).toBe(0);
  const again = Array.from({ length: 12 }, () => fired(deadline(60_000, outer.signal)));
  outer.abort('gone');
  expect(await Promise.all(again)).toEqual(Array(12).fill('gone'));
});
