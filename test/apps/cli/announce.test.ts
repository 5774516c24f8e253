import { expect, it } from 'vitest';
import { announce } from '../../../src/apps/cli/announce.ts';
import type { ComponentHealth } from '../../../src/edge/server/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const URL = 'http://127.0.0.1:1';
const part = (name: string, change: Partial<ComponentHealth> = {}): ComponentHealth => ({
  name,
  ready: false,
  opening: true,
  required: true,
  ...change,
});

async function shown(steps: readonly (readonly ComponentHealth[])[], terminal: boolean): Promise<string[]> {
  const clock = new ManualClock();
  const said: string[] = [];
  let at = 0;
  const readiness = async () => {
    const parts = steps[Math.min(at++, steps.length - 1)]!;
    return { ready: parts.every(({ ready, required }) => ready || !required), parts };
  };
  const over = (text: string) => said.push(`over ${text}`);
  announce({ readiness }, URL, { line: (text) => said.push(text), ...(terminal ? { over } : {}) }, clock);
  for (let look = 0; look < steps.length; look++) {
    await new Promise(setImmediate);
    clock.advance(100);
  }
  await new Promise(setImmediate);
  return said;
}

const opened = part('engine hear', { ready: true, opening: false });
const steps = [
  [part('engine hear'), part('engine omni'), part('device cpu', { required: false })],
  [opened, part('engine omni')],
  [opened, part('engine omni', { ready: true, opening: false })],
];

it('tells a file of opening models once, and that all is ready', async () => {
  expect(await shown(steps, false)).toEqual([
    `serving ${URL}, opening models: 0 of 2 parts are ready`,
    `ready ${URL}   console: ${URL}/console   talk to it: ${URL}/demo`,
  ]);
});

it('writes one line of a terminal over while models open', async () => {
  expect(await shown(steps, true)).toEqual([
    `over serving ${URL}, opening models: 0 of 2 parts are ready`,
    `over serving ${URL}, opening models: 1 of 2 parts are ready`,
    'over ',
    expect.stringMatching(/^ready /),
  ]);
});

it('says what does not mend itself, once, with its reason', async () => {
  const broken = part('storage', { opening: false, detail: 'the disk is full' });
  const said = await shown([[broken], [broken], [broken]], false);
  expect(said).toEqual([`serving ${URL}, not ready:\n  storage: the disk is full`]);
});
