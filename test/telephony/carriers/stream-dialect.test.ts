import { describe, expect, it } from 'vitest';
import { convertAudio } from '../../../src/media/engine/index.ts';
import {
  CarrierStream,
  exotelDialect,
  type MediaLeg,
  plivoDialect,
  type StreamDialect,
  type StreamStart,
  telnyxDialect,
  vonageDialect,
} from '../../../src/telephony/carriers/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const ULAW = Uint8Array.from({ length: 160 }, (_, at) => (at * 37) % 251);
const PCM = convertAudio('pcmu', ULAW, 'pcm16');
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

function opened(dialect: StreamDialect) {
  const sent: unknown[] = [];
  const closed: [number, string][] = [];
  const keys: string[] = [];
  const heard: Buffer[] = [];
  const marks: string[] = [];
  let start: StreamStart | null = null;
  let leg: MediaLeg | null = null;
  const wire = {
    send: (data: string | Uint8Array) => void sent.push(typeof data === 'string' ? JSON.parse(data) : data),
    close: (code: number, reason: string) => void closed.push([code, reason]),
  };
  const listener = {
    started: (reported: StreamStart, made: MediaLeg) => {
      start = reported;
      leg = made;
      made.bind({
        audio: (frame) => void heard.push(Buffer.from(frame)),
        marked: (name) => void marks.push(name),
      });
    },
    key: (digit: string) => void keys.push(digit),
    over: () => undefined,
  };
  const stream = new CarrierStream(wire, new ManualClock(), listener, dialect);
  const notify = (message: object) => stream.onMessage(Buffer.from(JSON.stringify(message)), false);
  return {
    stream,
    sent,
    closed,
    keys,
    heard,
    marks,
    notify,
    start: () => start,
    leg: () => leg as unknown as MediaLeg,
  };
}

describe('a stream of Telnyx', () => {
  const begin = (encoding: string) => ({
    event: 'start',
    sequence_number: '1',
    start: {
      user_id: 'u',
      call_control_id: 'v3:abc',
      from: '+14155550177',
      to: '+14155550100',
      custom_parameters: { first_name: 'Ada' },
      media_format: { encoding, sample_rate: 8000, channels: 1 },
    },
    stream_id: 'S1',
  });

  it('has the call’s numbers and parameters, keys and marks', () => {
    const { notify, start, leg, sent, keys, marks } = opened(telnyxDialect());
    notify({ event: 'connected', version: '1.0.0' });
    notify(begin('PCMU'));
    expect(start()).toEqual({
      streamSid: 'S1',
      callSid: 'v3:abc',
      parameters: { from: '+14155550177', first_name: 'Ada' },
    });
    notify({ event: 'dtmf', stream_id: 'S1', dtmf: { digit: '7' } });
    leg().send(ULAW);
    leg().mark('one');
    leg().clear();
    notify({ event: 'mark', stream_id: 'S1', mark: { name: 'one' } });
    expect(keys).toEqual(['7']);
    expect(marks).toEqual(['one']);
    expect(sent).toEqual([
      { event: 'media', media: { payload: base64(ULAW) } },
      { event: 'mark', mark: { name: 'one' } },
      { event: 'clear' },
    ]);
  });

  it('may be A-law, both ways', () => {
    const { notify, leg, sent, heard } = opened(telnyxDialect());
    notify(begin('PCMA'));
    const alaw = convertAudio('pcm16', PCM, 'pcma');
    notify({
      event: 'media',
      stream_id: 'S1',
      media: { track: 'inbound', chunk: '1', payload: base64(alaw) },
    });
    leg().send(ULAW);
    expect(heard[0]).toEqual(convertAudio('pcma', alaw, 'pcmu'));
    expect(sent).toEqual([{ event: 'media', media: { payload: base64(alaw) } }]);
  });

  it('is told why it is refused in a format that is not carried', () => {
    const { notify, closed } = opened(telnyxDialect());
    notify(begin('OPUS'));
    expect(closed).toEqual([[1008, 'start.media_format must be PCMU or PCMA at 8000 Hz']]);
  });
});

describe('a stream of Plivo', () => {
  it('plays by playAudio, and has its checkpoints once, cleared ones too', () => {
    const { notify, start, leg, sent, heard, keys, marks } = opened(plivoDialect());
    notify({
      sequenceNumber: 0,
      event: 'start',
      start: {
        callId: 'C1',
        streamId: 'S1',
        accountId: 'A1',
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 },
      },
      extra_headers: '{"X-PH-agent_id":"agt_1","first_name":"Ada"}',
    });
    expect(start()).toEqual({
      streamSid: 'S1',
      callSid: 'C1',
      parameters: { agent_id: 'agt_1', first_name: 'Ada' },
    });
    notify({ event: 'media', streamId: 'S1', media: { track: 'inbound', chunk: 2, payload: base64(ULAW) } });
    notify({ event: 'dtmf', streamId: 'S1', dtmf: { track: 'inbound', digit: '#' } });
    leg().send(ULAW);
    leg().mark('one');
    notify({ event: 'playedStream', streamId: 'S1', name: 'one' });
    leg().mark('two');
    leg().clear();
    notify({ event: 'playedStream', streamId: 'S1', name: 'two' });
    expect(heard).toEqual([Buffer.from(ULAW)]);
    expect(keys).toEqual(['#']);
    expect(marks).toEqual(['one', 'two']);
    const media = { contentType: 'audio/x-mulaw', sampleRate: 8000, payload: base64(ULAW) };
    expect(sent).toEqual([
      { event: 'playAudio', media, streamId: 'S1' },
      { event: 'checkpoint', streamId: 'S1', name: 'one' },
      { event: 'checkpoint', streamId: 'S1', name: 'two' },
      { event: 'clearAudio', streamId: 'S1' },
    ]);
  });
});

describe('a stream of Exotel', () => {
  it('is PCM16 both ways', () => {
    const { notify, start, leg, sent, heard, keys } = opened(exotelDialect());
    notify({ event: 'connected' });
    notify({
      event: 'start',
      sequence_number: 1,
      stream_sid: 'S1',
      start: {
        stream_sid: 'S1',
        call_sid: 'C1',
        account_sid: 'A1',
        from: '09000000001',
        to: '08000000002',
        custom_parameters: { agent_id: 'agt_1' },
        media_format: { encoding: 'base64', sample_rate: '8000', bit_rate: '128kbps' },
      },
    });
    expect(start()?.parameters).toEqual({ from: '09000000001', agent_id: 'agt_1' });
    notify({ event: 'media', stream_sid: 'S1', media: { chunk: 2, timestamp: '20', payload: base64(PCM) } });
    notify({ event: 'dtmf', stream_sid: 'S1', dtmf: { duration: '100', digit: '2' } });
    leg().send(ULAW);
    leg().clear();
    expect(heard).toEqual([convertAudio('pcm16', PCM, 'pcmu')]);
    expect(keys).toEqual(['2']);
    expect(sent).toEqual([
      { event: 'media', stream_sid: 'S1', media: { payload: base64(PCM) } },
      { event: 'clear', stream_sid: 'S1' },
    ]);
  });
});

describe('a stream of Vonage', () => {
  it('has its sound in binary frames, and its parameters in the first message', () => {
    const { stream, notify, start, leg, sent, heard, keys, marks } = opened(vonageDialect());
    notify({
      event: 'websocket:connected',
      'content-type': 'audio/l16;rate=8000',
      agent_id: 'agt_1',
      from: '1415',
    });
    expect(start()?.parameters).toEqual({ agent_id: 'agt_1', from: '1415' });
    stream.onMessage(PCM, true);
    notify({ event: 'websocket:dtmf', digit: '5', duration: 260 });
    leg().send(ULAW);
    leg().mark('one');
    notify({ event: 'websocket:notify', payload: { name: 'one' } });
    leg().clear();
    notify({ event: 'websocket:cleared' });
    expect(heard).toEqual([convertAudio('pcm16', PCM, 'pcmu')]);
    expect(keys).toEqual(['5']);
    expect(marks).toEqual(['one']);
    expect(sent).toEqual([PCM, { action: 'notify', payload: { name: 'one' } }, { action: 'clear' }]);
  });

  it('is told which rate it is to be asked for', () => {
    const { notify, closed } = opened(vonageDialect());
    notify({ event: 'websocket:connected', 'content-type': 'audio/l16;rate=16000' });
    expect(closed).toEqual([[1008, 'content-type must be audio/l16;rate=8000']]);
  });
});
