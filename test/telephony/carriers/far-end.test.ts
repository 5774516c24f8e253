// @requirement Test kit: Suites play over the loopback carrier.
import { expect, it } from 'vitest';
import { PendingStreams } from '../../../src/telephony/carriers/index.ts';
import { broughtEnd } from '../../../src/telephony/carriers/loopback/far-end.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

function ringing() {
  const clock = new ManualClock();
  const dock = new PendingStreams(clock);
  const happened: string[] = [];
  const tokens: string[] = [];
  const note = (what: string) => () => void happened.push(what);
  const end = broughtEnd({ clock, dock }, (reported) => tokens.push(reported), {
    answered: note('answered'),
    key: (digit) => void happened.push(digit),
    hungUp: note('hung up'),
    closed: note('closed'),
    gone: (detail) => void happened.push(detail),
  });
  const bring = (leg: string) => {
    const closings: number[] = [];
    const got: string[] = [];
    const stream = dock.open({
      send: (text) => void got.push((JSON.parse(String(text)) as { event: string }).event),
      close: (code) => void closings.push(code),
    });
    const notify = (message: object) => stream.onMessage(Buffer.from(JSON.stringify(message)), false);
    notify({ event: 'start', streamSid: 'MZ1', start: { customParameters: { leg } } });
    return { notify, closings, got };
  };
  return { clock, happened, end, bring, token: tokens[0] ?? '' };
}

it('is there with the stream of whoever has the token, who presses keys and hangs up', () => {
  const { clock, happened, bring, token } = ringing();
  const { notify, closings } = bring(token);
  clock.advance(20_000);
  notify({ event: 'dtmf', streamSid: 'MZ1', dtmf: { track: 'inbound_track', digit: '4' } });
  notify({ event: 'stop', streamSid: 'MZ1' });
  expect(happened).toEqual(['answered', '4', 'hung up']);
  expect(closings).toEqual([1000]);
  expect(bring(token).closings).toEqual([1008]);
});

it('is given up where nobody brings the sound in time, and closes the stream when the call ends', () => {
  const late = ringing();
  late.clock.advance(10_000);
  expect(late.happened).toEqual(['no client connected the audio stream']);
  const { bring, token, end } = ringing();
  const { closings } = bring(token);
  end.stop();
  expect(closings).toEqual([1000]);
});

it('speaks with whom it was connected to in the place of the near side', () => {
  const { happened, end, bring, token } = ringing();
  const { notify, got } = bring(token);
  const [sounds, keys]: [Uint8Array[], string[]] = [[], []];
  const there = end.connectTo({
    hear: (sound) => void sounds.push(Uint8Array.from(sound)),
    clear: () => undefined,
    key: (digit) => void keys.push(digit),
  });
  const payload = Buffer.alloc(160, 0x10).toString('base64');
  notify({ event: 'media', streamSid: 'MZ1', media: { track: 'inbound', timestamp: '0', payload } });
  notify({ event: 'dtmf', streamSid: 'MZ1', dtmf: { track: 'inbound_track', digit: '4' } });
  there.hear(new Uint8Array(160));
  there.clear();
  expect([sounds, keys, happened]).toEqual([[new Uint8Array(160).fill(0x10)], ['4'], ['answered']]);
  expect(got).toEqual(['media', 'clear']);
});
