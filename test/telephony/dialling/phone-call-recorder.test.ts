// @requirement Recordings: A recording goes on after a transfer only where the number says so.
import { expect, it } from 'vitest';
import type { Clock } from '../../../src/foundation/platform/clock.ts';
import { PhoneCallRecorder } from '../../../src/telephony/dialling/phone-call-recorder.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';

async function taped() {
  let now = 0;
  const reported: string[] = [];
  const clock = { now: () => now, monotonic: () => now, after: () => () => undefined } satisfies Clock;
  const notify =
    (what: string) =>
    (callId: string): void =>
      void reported.push(`${what} ${callId}`);
  const recorder = {
    path: (callId: string) => callId,
    open: async () => undefined,
    resumed: async () => null,
    paused: () => undefined,
    began: notify('began'),
    failed: notify('failed'),
    closed: notify('closed'),
    finish: async () => undefined,
    recordBridge: (callId: string, afterMs: number | null) => {
      reported.push(afterMs === null ? `beside ${callId}` : `on ${callId} after ${afterMs}`);
      return {
        write: (side: string, frames: Uint8Array, lateMs: number) =>
          void reported.push(`${side} ${frames.length}${lateMs > 0 ? ` ${lateMs} ms late` : ''}`),
        close: async () => void reported.push('people left'),
      };
    },
  };
  const tape = new PhoneCallRecorder(recorder, clock);
  await tape.open('one', new OneKeyAccess().principal(), null);
  tape.began('one', 0);
  reported.length = 0;
  return { tape, reported, advance: (ms: number) => (now += ms) };
}

it('keeps the recording of an agent open for people, who are recorded behind it, and closes it with the call', async () => {
  const { tape, reported, advance } = await taped();
  tape.closed('one');
  advance(7000);
  tape.heard('caller', new Uint8Array(160));
  tape.people();
  tape.heard('caller', new Uint8Array(160));
  tape.heard('other', new Uint8Array(80));
  await tape.over();
  tape.heard('other', new Uint8Array(80));
  expect(reported).toEqual(['on one after 7000', 'caller 160', 'other 80', 'people left', 'closed one']);
});

it('waits for the last sample of an agent that people have sent away', async () => {
  const { tape, reported, advance } = await taped();
  tape.people();
  advance(300);
  tape.heard('caller', new Uint8Array(160));
  tape.closed('one');
  tape.heard('caller', new Uint8Array(160));
  await tape.over();
  expect(reported).toEqual(['on one after 0', 'caller 160', 'people left', 'closed one']);
});

it('leaves out what was said before the recording began or went on, and comes late', async () => {
  const { tape, reported, advance } = await taped();
  advance(1000);
  tape.three();
  await tape.open('two', new OneKeyAccess().principal(), null);
  tape.began('two', 0);
  const said = (bytes: number) => tape.heard('caller', new Uint8Array(bytes), 60);
  said(1);
  advance(60);
  said(2);
  tape.paused('two', true);
  advance(5000);
  said(3);
  tape.paused('two', false);
  said(4);
  advance(40);
  said(5);
  advance(20);
  said(6);
  await tape.over();
  expect(reported.filter((line) => line.startsWith('caller'))).toEqual([
    'caller 2 60 ms late',
    'caller 6 60 ms late',
  ]);
});

it('records two people beside the agent that talks with both, but for its pauses, until one leaves', async () => {
  const { tape, reported } = await taped();
  const frames = new Uint8Array(160);
  tape.three();
  tape.closed('one');
  tape.heard('other', frames);
  await tape.open('two', new OneKeyAccess().principal(), null);
  tape.began('two', 0);
  tape.heard('other', frames);
  tape.paused('two', true);
  tape.heard('other', frames);
  tape.paused('two', false);
  tape.heard('caller', frames);
  tape.agentAlone();
  tape.heard('caller', frames);
  tape.closed('two');
  await tape.over();
  const closed = ['people left', 'closed one', 'closed two'];
  expect(reported).toEqual(['began two', 'beside two', 'other 160', 'caller 160', ...closed]);
});

it('records no people where the agent had paused or had failed to record; what ends after the call is closed', async () => {
  const paused = await taped();
  paused.tape.paused('one', true);
  paused.tape.closed('one');
  paused.tape.people();
  paused.tape.heard('caller', new Uint8Array(160));
  await paused.tape.over();
  expect(paused.reported).toEqual(['closed one']);

  const failed = await taped();
  failed.tape.failed('one');
  failed.tape.closed('one');
  failed.tape.people();
  await failed.tape.over();
  expect(failed.reported).toEqual(['failed one', 'closed one']);

  const late = await taped();
  await late.tape.over();
  late.tape.people();
  late.tape.closed('one');
  expect(late.reported).toEqual(['closed one']);
});
