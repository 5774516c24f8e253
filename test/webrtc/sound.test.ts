/** What the process of the peers does with packets, without a network. */
import { describe, expect, it, vi } from 'vitest';
import { g711 } from '../../src/media/index.ts';
import { KeyReader, pressOf } from '../../src/webrtc/worker/keys.ts';
import { Reorder } from '../../src/webrtc/worker/reorder.ts';
import { isBye, readRtp, sequenceAfter, writeBye, writeRtp } from '../../src/webrtc/worker/rtp.ts';
import { Sound } from '../../src/webrtc/worker/sound.ts';

const pcm = (...samples: number[]): Buffer => Buffer.from(Int16Array.from(samples).buffer);

describe('G.711', () => {
  // ITU-T G.191's reference, at the corners of the segments.
  it.each([
    ['pcmu', [0xff, 0x80, 0x00, 0x7f, 0xf0, 0x8f], [0, 32124, -32124, 0, 120, 16764]],
    ['pcma', [0xd5, 0xaa, 0x2a, 0x55, 0x80, 0x00], [8, 32256, -32256, -8, 5504, -5504]],
  ] as const)('decodes %s as its tables say', (codec, bytes, samples) => {
    expect([...new Int16Array(new Uint8Array(g711.decode(codec, Buffer.from(bytes))).buffer)]).toEqual(
      samples,
    );
  });

  it.each(['pcmu', 'pcma'] as const)('gives each code of %s back, and loses little of a sample', (codec) => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, code) => code));
    const back = g711.encode(codec, g711.decode(codec, all));
    // u-law has two zeros, and the negative one is not made.
    expect([...back].map((code) => (codec === 'pcmu' && code === 0xff ? 0x7f : code))).toEqual(
      [...all].map((code) => (codec === 'pcmu' && code === 0xff ? 0x7f : code)),
    );
    for (let sample = -32_768; sample < 32_768; sample += 97) {
      const error = Math.abs(g711.decode(codec, g711.encode(codec, pcm(sample))).readInt16LE(0) - sample);
      expect(error).toBeLessThanOrEqual(Math.max(16, Math.abs(sample) / 16 + 4));
    }
  });
});

describe('RTP', () => {
  const head = { type: 0, marker: true, sequence: 65_535, timestamp: 4_294_967_295, source: 7 };

  it('reads what it writes, extensions, sources and padding included', () => {
    const packet = writeRtp(head, Buffer.from('sound'));
    expect(readRtp(packet)).toEqual({ ...head, payload: Buffer.from('sound') });
    const extended = Buffer.concat([
      Buffer.of(0xb1, ...packet.subarray(1, 12), 0, 0, 0, 9, 0xbe, 0xde, 0, 1, 1, 2, 3, 4),
      Buffer.from('sound'),
      Buffer.of(0, 0, 3),
    ]);
    expect(readRtp(extended)?.payload.toString()).toBe('sound');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['eleven bytes', Buffer.alloc(11, 0x80)],
    ['another version', Buffer.alloc(20, 0x40)],
    ['RTCP', Buffer.concat([Buffer.of(0x80, 200), Buffer.alloc(26)])],
    [
      'an extension beyond the end',
      Buffer.concat([Buffer.of(0x90, 0), Buffer.alloc(12), Buffer.of(255, 255)]),
    ],
    ['more padding than bytes', Buffer.concat([Buffer.of(0xa0, 0), Buffer.alloc(12), Buffer.of(200)])],
  ])('takes %s for no packet', (_, bytes) => {
    expect(readRtp(bytes)).toBeNull();
  });

  it('knows a farewell among other reports', () => {
    expect(isBye(writeBye(7))).toBe(true);
    expect(isBye(writeBye(7).subarray(0, 8))).toBe(false);
    expect(isBye(Buffer.alloc(64))).toBe(false);
    expect(isBye(Buffer.of(0x80, 200, 0xff, 0xff))).toBe(false);
    expect(readRtp(writeBye(7))).toBeNull();
  });

  it('counts numbers on a circle', () => {
    expect(sequenceAfter(65_535, 0)).toBe(1);
    expect(sequenceAfter(0, 65_535)).toBe(-1);
    expect(sequenceAfter(5, 5)).toBe(0);
  });
});

/** What comes out for packets of these numbers; `null`: one that was made up. */
function played(numbers: readonly number[], after: readonly number[] = []) {
  const out: (number | null)[] = [];
  const reorder = new Reorder({ play: (payload) => out.push(payload === null ? null : payload[0]!) });
  let now = 0;
  for (const number of numbers) reorder.add(number & 0xffff, Buffer.of(number & 0xff), now++);
  for (const at of after) reorder.tick(at);
  return { out, reorder };
}

describe('the order of packets', () => {
  it('is mended, over the end of the circle too', () => {
    expect(played([65_534, 0, 65_535, 1]).out).toEqual([254, 255, 0, 1]);
  });

  it('waits 60 ms for one that is missing, then makes it up', () => {
    const { out, reorder } = played([1, 2, 4], [60]);
    expect(out).toEqual([1, 2]);
    reorder.tick(62);
    expect(out).toEqual([1, 2, null, 4]);
    reorder.add(3, Buffer.of(3), 63);
    expect(out).toEqual([1, 2, null, 4]);
    expect(reorder).toMatchObject({ received: 4, lost: 1, late: 1, concealed: 1 });
  });

  it('waits behind no more than four', () => {
    expect(played([1, 3, 4, 5, 6]).out).toEqual([1]);
    expect(played([1, 3, 4, 5, 6, 7]).out).toEqual([1, null, 3, 4, 5, 6, 7]);
  });

  it('makes nothing up for a long gap, and takes another stream as it comes', () => {
    expect(played([1, 50], [100]).out).toEqual([1, 50]);
    expect(played([1, 2, 40_000, 40_001]).out).toEqual([1, 2, 64, 65]);
    expect(played([1, 1, 1]).reorder).toMatchObject({ late: 2 });
  });
});

describe('keys', () => {
  it('are told once a press, whatever is lost of it', () => {
    const press = pressOf('7')!;
    const reader = new KeyReader();
    expect(press.map(({ payload }) => reader.read(800, payload))).toEqual([
      '7',
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(press.slice(3).map(({ payload }) => reader.read(1_600, payload))[0]).toBe('7');
    expect(reader.read(1, Buffer.of(99, 0, 0, 0))).toBeNull();
    expect(reader.read(2, Buffer.of(1))).toBeNull();
    expect(pressOf('x')).toBeNull();
    expect(pressOf('12')).toBeNull();
  });

  it('end with the mark of the end said three times', () => {
    const ends = pressOf('#')!.map(({ payload }) => payload[1]! >> 7);
    expect(ends).toEqual([0, 0, 0, 0, 1, 1, 1]);
  });
});

describe('the sound of a peer', () => {
  const format = { codec: 'pcmu', payloadType: 0, keysType: 101 } as const;
  function open() {
    const heard: Buffer[] = [];
    const keys: string[] = [];
    const sent: NonNullable<ReturnType<typeof readRtp>>[] = [];
    const gone = vi.fn();
    const sound = new Sound(format, 9, {
      heard: (bytes) => heard.push(bytes),
      key: (digit) => keys.push(digit),
      send: (packet) => sent.push(readRtp(packet)!),
      gone,
    });
    return { sound, heard, keys, sent, gone };
  }
  const loud = Buffer.from(new Int16Array(160).fill(8_000).buffer);

  it('sends one packet each 20 ms, silence where there is nothing to say', () => {
    const { sound, sent } = open();
    sound.say(Buffer.concat([loud, loud]));
    for (let now = 0; now < 100; now += 10) sound.tick(now);
    expect(sent).toHaveLength(5);
    expect(sent.map(({ timestamp }) => timestamp)).toEqual([0, 160, 320, 480, 640]);
    expect(sent.map(({ sequence }) => sequence - sent[0]!.sequence)).toEqual([0, 1, 2, 3, 4]);
    expect(sent.map(({ payload }) => payload[0] !== 0xff)).toEqual([true, true, false, false, false]);
    expect(sent[0]).toMatchObject({ marker: true, source: 9, type: 0 });
  });

  it('throws away what was cut, and keeps no more than 300 ms ahead', () => {
    const { sound, sent } = open();
    for (let i = 0; i < 40; i++) sound.say(loud);
    sound.tick(0);
    sound.clear();
    for (let now = 10; now < 400; now += 10) sound.tick(now);
    expect(sent.filter(({ payload }) => payload[0] !== 0xff)).toHaveLength(1);
    for (let i = 0; i < 40; i++) sound.say(loud);
    for (let now = 400; now < 1_200; now += 10) sound.tick(now);
    expect(sent.filter(({ payload }) => payload[0] !== 0xff)).toHaveLength(16);
  });

  it('goes on from now after a pause of the process', () => {
    const { sound, sent } = open();
    sound.tick(0);
    sound.tick(5_000);
    expect(sent).toHaveLength(2);
    sound.tick(5_020);
    expect(sent).toHaveLength(3);
  });

  it('hears in order, keys beside the sound, and makes up what was lost ever quieter', () => {
    const { sound, heard, keys } = open();
    const packet = (sequence: number, type = 0, payload: Buffer = g711.encode('pcmu', loud)) =>
      writeRtp({ sequence, type, marker: false, timestamp: sequence * 160, source: 1 }, payload);
    sound.receive(packet(1), 0);
    for (const [index, { payload }] of pressOf('5')!.entries())
      sound.receive(
        writeRtp({ sequence: 2 + index, type: 101, marker: false, timestamp: 320, source: 1 }, payload),
        1,
      );
    sound.receive(packet(10), 2);
    sound.receive(packet(99, 13), 2);
    sound.receive(Buffer.from('noise'), 2);
    sound.tick(100);
    expect(keys).toEqual(['5']);
    expect(heard.map((pcm) => Math.round(pcm.readInt16LE(0) / 1_000))).toEqual([8, 4, 8]);
  });

  it('takes a farewell for the end unless sound goes on', () => {
    const { sound, gone } = open();
    const packet = writeRtp(
      { sequence: 1, type: 0, marker: false, timestamp: 0, source: 1 },
      Buffer.alloc(160),
    );
    sound.receive(writeBye(1), 0);
    sound.tick(100);
    sound.receive(packet, 200);
    sound.tick(900);
    expect(gone).not.toHaveBeenCalled();
    sound.receive(writeBye(1), 1_000);
    sound.tick(1_600);
    expect(gone).toHaveBeenCalled();
  });

  it('presses keys in place of sound, and none where the other side takes none', () => {
    const { sound, sent } = open();
    sound.press('1#');
    for (let now = 0; now < 400; now += 10) sound.tick(now);
    const events = sent.filter(({ type }) => type === 101);
    expect(events).toHaveLength(14);
    expect(new Set(events.map(({ timestamp }) => timestamp)).size).toBe(2);
    const silent: Buffer[] = [];
    const without = new Sound({ ...format, keysType: null }, 9, {
      heard: () => {},
      key: () => {},
      send: (packet) => silent.push(packet),
      gone: () => {},
    });
    without.press('1');
    without.tick(0);
    expect(readRtp(silent[0]!)).toMatchObject({ type: 0 });
  });
});
