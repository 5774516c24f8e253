import { expect, it } from 'vitest';
import { RecordWriter } from '../../../src/foundation/platform/record-writer.ts';
import { ManualClock } from './manual-clock.ts';

const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const settle = () => new Promise(setImmediate);

function open() {
  const clock = new ManualClock();
  const failures: unknown[] = [];
  const written: string[] = [];
  const writer = new RecordWriter(clock, (error) => failures.push(error));
  let fault: Error | null = null;
  const write = (what: string) => async () => {
    if (fault !== null) throw fault;
    written.push(what);
  };
  const failWith = (error: Error | null) => {
    fault = error;
  };
  return { clock, failures, written, writer, write, failWith };
}

it('writes in order, and each part once, however long the storage is unavailable', async () => {
  const { clock, failures, written, writer, write, failWith } = open();
  failWith(AWAY);
  void writer.write(write('answered'));
  const ended = writer.end(write('ended'));
  for (let second = 0; second < 60; second += 1) {
    await settle();
    clock.advance(1_000);
  }
  expect([written, failures]).toEqual([[], [AWAY]]);
  failWith(null);
  clock.advance(2_000);
  await ended;
  expect([written, clock.timers]).toEqual([['answered', 'ended'], 0]);
});

it('gives up a part that fails by itself, but not the end', async () => {
  const { clock, failures, written, writer, write, failWith } = open();
  const broken = new Error('no such column');
  failWith(broken);
  await writer.write(write('note'));
  const ended = writer.end(write('ended'));
  await settle();
  expect([written, failures]).toEqual([[], [broken, broken]]);
  failWith(null);
  clock.advance(2_000);
  await ended;
  expect(written).toEqual(['ended']);
});
