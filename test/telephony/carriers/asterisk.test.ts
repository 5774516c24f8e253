// @requirement Carriers: Asterisk's `chan_websocket` works in both formats.
/** The messages are those of Asterisk's `chan_websocket`, as its documentation and its source have them. */
import { describe, expect, it } from 'vitest';
import { AsteriskStream, type MediaLeg } from '../../../src/telephony/carriers/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const PLAIN =
  'MEDIA_START connection_id:media1 channel:WebSocket/media1/0x514 channel_id:1761245643.1 format:ulaw optimal_frame_size:160 ptime:20';
const JSON_START = JSON.stringify({
  event: 'MEDIA_START',
  connection_id: 'media1',
  channel: 'WebSocket/media1/0x514',
  channel_id: '1761245643.1',
  format: 'ulaw',
  optimal_frame_size: 160,
  ptime: 20,
  channel_variables: { MEDIA_WEBSOCKET_CONNECTION_ID: 'media1', api_key: 'svc_live_x' },
});

function open() {
  const clock = new ManualClock();
  const sent: (string | number)[] = [];
  const reported: unknown[] = [];
  let leg: MediaLeg | null = null;
  const stream = new AsteriskStream(
    {
      send: (data) => sent.push(typeof data === 'string' ? data : data.length),
      close: (code) => sent.push(`closed ${code}`),
    },
    clock,
    {
      started: (start, made) => {
        leg = made;
        reported.push(start);
      },
      key: (digit) => reported.push(digit),
      over: () => reported.push('over'),
    },
  );
  const text = (message: string) => stream.onMessage(Buffer.from(message), false);
  return { clock, sent, reported, stream, text, leg: () => leg as unknown as MediaLeg };
}

describe.each([
  ['plain lines', PLAIN, (event: string, id: string) => `${event} ${id}`, 'DTMF_END digit:5 channel_id:1.1'],
  [
    'JSON',
    JSON_START,
    (event: string, correlation_id: string) =>
      JSON.stringify({ [event.startsWith('MARK') ? 'command' : 'event']: event, correlation_id }),
    '{"event":"DTMF_END","channel_id":"1.1","digit":"5"}',
  ],
])('chan_websocket in %s', (format, start, withId, key) => {
  const bare = (command: string) => (format === 'JSON' ? JSON.stringify({ command }) : command);

  it('answers, carries sound both ways, and hangs up', () => {
    const { sent, reported, stream, text, leg } = open();
    stream.onMessage(new Uint8Array(160), true);
    text(start);
    expect(reported).toEqual([{ streamSid: '1761245643.1', callSid: '1761245643.1', parameters: {} }]);
    const heard: number[] = [];
    stream.onMessage(new Uint8Array(160).fill(7), true);
    leg().bind({ audio: (frames) => heard.push(...frames.subarray(0, 1)) });
    stream.onMessage(new Uint8Array(160).fill(8), true);
    expect(heard).toEqual([7, 8]);
    leg().send(new Uint8Array(320));
    text(key);
    text(format === 'JSON' ? '{"event":"MEDIA_XOFF"}' : 'MEDIA_XOFF');
    expect(reported.at(-1)).toBe('5');
    expect(leg().stats()).toMatchObject({ received: { frames: 2, lost: 0 }, sent: { frames: 2 } });
    stream.end();
    stream.onMessage(new Uint8Array(160), true);
    expect(reported.at(-1)).toBe('over');
    expect(sent).toEqual([bare('ANSWER'), 320, bare('HANGUP'), 'closed 1000']);
  });

  it('brings each mark back once: when it was played, or flushed', () => {
    const { sent, text, leg } = open();
    text(start);
    const marks: string[] = [];
    leg().bind({ audio: () => undefined, marked: (name) => marks.push(name) });
    leg().mark('the greeting, whole');
    leg().mark('second');
    text(withId('MEDIA_MARK_PROCESSED', '1'));
    text(withId('MEDIA_MARK_PROCESSED', '1'));
    expect(marks).toEqual(['the greeting, whole']);
    leg().clear();
    text(withId('MEDIA_MARK_PROCESSED', '2'));
    expect(marks).toEqual(['the greeting, whole', 'second']);
    expect(sent.slice(1, 3)).toEqual([withId('MARK_MEDIA', '1'), withId('MARK_MEDIA', '2')]);
    expect(sent.at(-1)).toBe(bare('FLUSH_MEDIA'));
  });
});

describe('chan_websocket', () => {
  it.each([
    ['another format', PLAIN.replace('ulaw', 'slin16')],
    ['what is no message', 'hello there'],
    ['JSON of nothing', '{"event": 7}'],
    ['half of a message', '{"event": "MEDIA_ST'],
  ])('is closed for %s', (_, message) => {
    const { sent, reported, text } = open();
    text(message);
    expect([sent, reported]).toEqual([['closed 1008'], ['over']]);
  });

  it('is closed where no MEDIA_START comes', () => {
    const { clock, sent } = open();
    clock.advance(10_000);
    expect(sent).toEqual(['closed 1008']);
  });
});
