// @requirement WebRTC: ICE in either role, DTLS-SRTP, PCMU, PCMA and telephone-event work.
import { describe, expect, it } from 'vitest';
import { chosenFormat, offeredFormats } from '../../../src/telephony/webrtc/worker/formats.ts';
import { checkable, outgoing, readDescription } from '../../../src/telephony/webrtc/worker/sdp.ts';

const SESSION = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=ice-ufrag:abcd',
  'a=ice-pwd:secret',
  'a=fingerprint:sha-256 AA',
];
const AUDIO = [
  'm=audio 9 UDP/TLS/RTP/SAVPF 111 0 8 126',
  'a=mid:audio0',
  'a=rtpmap:111 opus/48000/2',
  'a=fmtp:111 minptime=10;useinbandfec=1',
  'a=rtpmap:126 telephone-event/8000',
];
const sdp = (...lines: string[]): string => lines.join('\r\n');

describe('a description', () => {
  it('is read for what a call needs', () => {
    expect(readDescription(sdp(...SESSION, ...AUDIO), true)).toEqual({
      mid: 'audio0',
      format: {
        codec: 'opus',
        payloadType: 111,
        keys: { type: 126, clock: 8000 },
        repeats: true,
        pauses: false,
      },
      channel: false,
    });
    const narrow = { repeats: false, pauses: false };
    expect(readDescription(sdp(...SESSION, ...AUDIO), false).format).toEqual({
      codec: 'pcmu',
      payloadType: 0,
      keys: { type: 126, clock: 8000 },
      ...narrow,
    });
    const own = [
      'm=audio 9 UDP/TLS/RTP/SAVPF 96 97',
      'a=rtpmap:96 PCMA/8000/1',
      'a=rtpmap:97 telephone-event/48000',
    ];
    const channel = ['m=application 9 UDP/DTLS/SCTP webrtc-datachannel', 'a=mid:1'];
    expect(readDescription(sdp(...SESSION, ...own, ...channel), true)).toEqual({
      mid: '0',
      format: { codec: 'pcma', payloadType: 96, keys: { type: 97, clock: 48_000 }, ...narrow },
      channel: true,
    });
  });

  it('is answered with the first codec that is spoken, and what its parameters say', () => {
    const one = (type: number, name: string, parameters = '') => ({ type, name, parameters });
    const theirs = [
      one(63, 'red/48000/2'),
      one(8, 'pcma/8000'),
      one(111, 'opus/48000/2', 'fmtp:111 minptime=10; useinbandfec=0; usedtx=1'),
      one(110, 'telephone-event/48000'),
      one(126, 'telephone-event/8000'),
    ];
    expect(chosenFormat(theirs, true)).toMatchObject({ codec: 'pcma', keys: { type: 126, clock: 8000 } });
    expect(chosenFormat(theirs.toSpliced(1, 1), true)).toEqual({
      codec: 'opus',
      payloadType: 111,
      keys: { type: 110, clock: 48_000 },
      repeats: false,
      pauses: true,
    });
    expect(chosenFormat([one(9, 'g722/8000')], true)).toBeNull();
    expect(offeredFormats(false).codecs.map(({ codec }) => codec)).toEqual(['pcmu', 'pcma']);
  });

  it.each([
    ['nothing', '', /start with v=0/],
    ['no audio', sdp(...SESSION), /one audio section/],
    ['two audio lines', sdp(...SESSION, ...AUDIO, ...AUDIO), /one audio section/],
    ['a refused audio line', sdp(...SESSION, 'm=audio 0 UDP/TLS/RTP/SAVPF 0'), /one audio section/],
    ['video', sdp(...SESSION, ...AUDIO, 'm=video 9 UDP/TLS/RTP/SAVPF 96'), /not video/],
    [
      'Opus alone',
      sdp(...SESSION, 'm=audio 9 UDP/TLS/RTP/SAVPF 111', 'a=rtpmap:111 opus/48000/2'),
      /PCMU or PCMA/,
    ],
    ['plain RTP', sdp('v=0', ...AUDIO), /a=ice-ufrag/],
    ['no key', sdp(...SESSION.filter((line) => !line.includes('fingerprint')), ...AUDIO), /a=fingerprint/],
    ['many media', sdp(...SESSION, ...AUDIO, ...Array(9).fill('m=application 9 x y')), /too many media/],
    ['many lines', sdp(...SESSION, ...AUDIO, ...Array(2_000).fill('a=x')), /at most 1500 lines/],
  ])('is refused with %s', (_, text, why) => {
    expect(() => readDescription(text, false)).toThrow(why);
  });

  it('keeps the candidates that can be checked without asking anybody, and few of them', () => {
    const good = 'a=candidate:1 1 udp 1 192.0.2.1 5000 typ host';
    const bad = [
      'a=candidate:2 1 udp 1 internal.example 5000 typ host',
      'a=candidate:3 1 udp 1 b0a1.local 5000 typ host',
      'a=candidate:4 1 tcp 1 192.0.2.1 9 typ host tcptype active',
      'a=candidate:5 1 udp 1 192.0.2.1 0 typ host',
      'a=candidate:',
    ];
    expect(checkable(sdp('v=0', good, ...bad, 'a=mid:0'))).toBe(sdp('v=0', good, 'a=mid:0'));
    const many = Array.from({ length: 500 }, (_, i) => good.replace('5000', String(5000 + i)));
    expect(checkable(sdp(...many)).split('\r\n')).toHaveLength(30);
  });

  it('goes out with the public address in place of the machine’s own', () => {
    const host = (address: string, port = 5000) => `a=candidate:1 1 UDP 1 ${address} ${port} typ host`;
    const six = host('2001:db8::1');
    const reflexive = 'a=candidate:2 1 UDP 1 198.51.100.7 5000 typ srflx raddr 0.0.0.0 rport 0';
    const own = sdp('v=0', host('10.0.0.2'), host('172.17.0.1'), six, reflexive);
    expect(outgoing(own, '203.0.113.9')).toBe(sdp('v=0', host('203.0.113.9'), reflexive));
    expect(outgoing(own, null)).toBe(own);
  });
});
