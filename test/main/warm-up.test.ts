/** The warm-up does the first call's one-time work before the server is ready, and never takes long. */
import { expect, it } from 'vitest';
import { WarmUp } from '../../src/main/warm-up.ts';
import type { Engine } from '../../src/media/engine/index.ts';
import { StockVoices } from '../../src/speech/voices/index.ts';
import { ManualClock } from '../foundation/platform/manual-clock.ts';

const settled = () => new Promise(setImmediate);

function opened() {
  const done: string[] = [];
  let play: () => void = () => undefined;
  let prepare: () => void = () => undefined;
  const jobs: (() => void)[] = [];
  const engine = {
    prepared: () =>
      new Promise<void>((resolve) => {
        prepare = resolve;
      }),
    open: (
      kind: { name: string },
      _options: object,
      listener: { event(event: object): void },
      share: string,
    ) => {
      done.push(`${kind.name} ${share}`);
      play = () => listener.event({ kind: 'playing' });
      return { control: () => undefined, drop: () => done.push('dropped') };
    },
    submit: (kind: { name: string }, _o: object, _i: object, _s: AbortSignal, share: string) => {
      done.push(`${kind.name} ${share}`);
      return { result: () => new Promise<void>((resolve) => jobs.push(resolve)) };
    },
  };
  const clock = new ManualClock();
  const warmUp = new WarmUp({ engine: engine as unknown as Engine, voices: new StockVoices(), clock });
  const isReady = () => warmUp.parts()[0]?.ready;
  return { warmUp, clock, done, isReady, jobs, prepare: () => prepare(), play: () => play() };
}

it('is ready once a sentence was heard and the default voice of every other language of calls has spoken, as a trial', async () => {
  const { warmUp, done, isReady, jobs, prepare, play } = opened();
  const run = warmUp.run();
  expect([isReady(), done]).toEqual([false, []]);
  prepare();
  await settled();
  expect(done).toEqual(['omni trial']);
  play();
  await settled();
  expect(done.slice(0, 3)).toEqual(['omni trial', 'dropped', 'synthesize trial']);
  while (jobs.length > 0) {
    expect(isReady()).toBe(false);
    jobs.shift()?.();
    await settled();
  }
  await run;
  expect(isReady()).toBe(true);
  // Spanish, French and Hindi; English was spoken in the call.
  expect(done.filter((one) => one === 'synthesize trial')).toHaveLength(3);
});

it('keeps nobody waiting for longer than a second', async () => {
  const { warmUp, clock, done, isReady, prepare } = opened();
  const run = warmUp.run();
  prepare();
  await settled();
  clock.advance(999);
  expect(isReady()).toBe(false);
  clock.advance(1);
  expect(isReady()).toBe(true);
  // The warm-up starts nothing more once calls arrive.
  await run;
  expect(done).toEqual(['omni trial', 'dropped']);
});

it('is ready where the engine cannot do it, which says why itself', async () => {
  const clock = new ManualClock();
  const engine = {
    prepared: async () => [],
    open: () => {
      throw new Error('a model is missing');
    },
  };
  const warmUp = new WarmUp({ engine: engine as unknown as Engine, voices: new StockVoices(), clock });
  await warmUp.run();
  expect(warmUp.parts()).toMatchObject([{ name: 'warm-up', ready: true, opening: false }]);
});
