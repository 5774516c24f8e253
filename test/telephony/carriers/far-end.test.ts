import { expect, it } from 'vitest';
import { StreamDock } from '../../../src/telephony/carriers/index.ts';
import { broughtEnd } from '../../../src/telephony/carriers/loopback/far-end.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

function ringing() {
  const clock = new ManualClock();
  const dock = new StreamDock(clock);
  const happened: string[] = [];
  const tokens: string[] = [];
  const note = (what: string) => () => void happened.push(what);
  const end = broughtEnd({ clock, dock }, (told) => tokens.push(told), {
    answered: note('answered'),
    key: (digit) => void happened.push(digit),
    hungUp: note('hung up'),
    closed: note('closed'),
    gone: (detail) => void happened.push(detail),
  });
  const bring = (leg: string) => {
    const closings: number[] = [];
    const stream = dock.open({ send: () => undefined, close: (code) => void closings.push(code) });
    const tell = (message: object) => stream.message(Buffer.from(JSON.stringify(message)), false);
    tell({ event: 'start', streamSid: 'MZ1', start: { customParameters: { leg } } });
    return { tell, closings };
  };
  return { clock, happened, end, bring, token: tokens[0] ?? '' };
}

it('is there with the stream of whoever has the token, who presses keys and hangs up', () => {
  const { clock, happened, bring, token } = ringing();
  const { tell, closings } = bring(token);
  clock.advance(20_000);
  tell({ event: 'dtmf', streamSid: 'MZ1', dtmf: { track: 'inbound_track', digit: '4' } });
  tell({ event: 'stop', streamSid: 'MZ1' });
  expect(happened).toEqual(['answered', '4', 'hung up']);
  // The token was good once.
  expect(closings).toEqual([1000]);
  expect(bring(token).closings).toEqual([1008]);
});

it('is given up where nobody brings the sound in time, and closes the stream when the call ends', () => {
  const late = ringing();
  late.clock.advance(10_000);
  expect(late.happened).toEqual(['nobody brought the sound']);
  const { bring, token, end } = ringing();
  const { closings } = bring(token);
  end.stop();
  expect(closings).toEqual([1000]);
});
