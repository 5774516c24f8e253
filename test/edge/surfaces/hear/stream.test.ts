// @requirement Hear: A stream sends a `final` at least every 15 s, in silence too.
// @requirement Hear: A stream answers `end` as described.
// @requirement Billing: A stream is billed once for what it reports.
// @requirement Hear: A stream sends partials, stable partials, finals and usage, and closes with its codes.
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { absent, type Frame, openHear, plain, RECORDING, readPcm, SPOKEN, StreamClient } from './server.ts';

const { pcm, rate } = absent ? { pcm: Buffer.alloc(0), rate: 16000 } : to16k();

/** The recording is at 22.05 kHz, which no stream accepts. */
function to16k() {
  const { pcm: source, rate: from } = readPcm(RECORDING);
  const out = Buffer.alloc(Math.floor(((source.length / 2) * 16000) / from) * 2);
  for (let i = 0; i < out.length / 2; i += 1) {
    const at = (i * from) / 16000;
    const low = Math.min(Math.floor(at), source.length / 2 - 2);
    const mixed = source.readInt16LE(low * 2) * (low + 1 - at) + source.readInt16LE(low * 2 + 2) * (at - low);
    out.writeInt16LE(Math.round(Math.max(-32768, Math.min(32767, mixed))), i * 2);
  }
  return { pcm: out, rate: 16000 };
}

const silence = (seconds: number) => Buffer.alloc(Math.round(seconds * rate) * 2);

async function open(url: string, query = 'language=en') {
  const client = new StreamClient(url, query);
  await client.opened;
  return client;
}

function checkFrames(frames: Frame[]): void {
  const stable = new Map<string, string>();
  const finals = new Set<string>();
  for (const frame of frames) {
    if (frame.utterance_id === undefined) continue;
    expect(finals.has(frame.utterance_id)).toBe(false);
    const settled = stable.get(frame.utterance_id) ?? '';
    expect(frame.text.startsWith(settled), `${settled} was settled, then: ${frame.text}`).toBe(true);
    if (frame.type === 'partial_stable') stable.set(frame.utterance_id, frame.text);
    if (frame.type === 'final') finals.add(frame.utterance_id);
    expect(frame.end).toBeGreaterThanOrEqual(frame.start);
  }
}

describe.skipIf(absent)('the recognition stream', () => {
  it('sends every kind of frame, in order, and closes when asked', async () => {
    const server = await openHear();
    const client = await open(server.url, 'language=en&endpointing_ms=300');
    client.say(silence(0.5), rate);
    client.say(pcm.subarray(0, 3 * rate * 2), rate);
    await client.until(() => client.of('partial').length > 0);
    client.say(pcm.subarray(3 * rate * 2), rate);
    client.say(silence(2), rate);
    await client.until(() => client.of('final').length > 0 && client.of('usage').length > 0);
    client.control({ type: 'close' });
    expect(await client.closed).toEqual({ code: 1000, reason: 'closed by the client' });
    checkFrames(client.frames);
    const text = client
      .of('final')
      .map((frame) => frame.text)
      .join(' ');
    expect(plain(text)).toContain(SPOKEN);
    for (const final of client.of('final')) {
      expect(final.words.map((word: Frame) => word.word).join(' ')).toBe(final.text);
      const spoken = client.of('speech_final').find((frame) => frame.utterance_id === final.utterance_id);
      expect(spoken).toMatchObject({ end: final.end, endpoint_reason: final.endpoint_reason });
      expect(client.frames.indexOf(spoken)).toBeLessThan(client.frames.indexOf(final));
    }
    expect(client.of('partial').length).toBeGreaterThan(0);
    const usage = client.of('usage');
    expect(usage).toHaveLength(client.of('final').length + 1);
    expect(usage.at(-1).audio_seconds).toBeCloseTo(pcm.length / 2 / rate + 2.5, 2);
    const total = (await server.billed()).reduce((sum, one) => sum + one, 0);
    expect(total).toBe(Math.round(usage.at(-1).billed_seconds * 1000));
    expect(total).toBeGreaterThan(8000);
    expect(server.access.released).toBe(server.access.admitted);
  }, 60_000);

  it('sends a final every 15 s though nobody speaks, and bills all of the audio', async () => {
    const server = await openHear();
    const client = await open(server.url);
    client.say(silence(31), rate);
    await client.until(() => client.of('final').length === 2);
    client.control({ type: 'close' });
    expect((await client.closed).code).toBe(1000);
    checkFrames(client.frames);
    const finals = client.of('final').map(({ text, words, start, end, endpoint_reason }) => ({
      text,
      words,
      endpoint_reason,
      span: [Math.round(start), Math.round(end)],
    }));
    const quiet = { text: '', words: [], endpoint_reason: 'silence' };
    expect(finals).toEqual([
      { ...quiet, span: [0, 15] },
      { ...quiet, span: [15, 30] },
    ]);
    expect(client.frames.at(-1)).toMatchObject({ type: 'usage', audio_seconds: 31 });
  }, 60_000);

  it('answers a commit with what was said so far, or with an empty final', async () => {
    const server = await openHear();
    const client = await open(server.url);
    client.control({ type: 'commit' });
    await client.until(() => client.of('usage').length === 1);
    expect(client.of('final')[0]).toMatchObject({ text: '', words: [], endpoint_reason: 'commit' });
    client.say(pcm.subarray(0, 3 * rate * 2), rate);
    client.control({ type: 'commit' });
    await client.until(() => client.of('usage').length === 2);
    expect(plain(client.of('final')[1].text)).toContain('printing in the only sense');
    client.say(pcm.subarray(3 * rate * 2, 6 * rate * 2), rate);
    client.control({ type: 'close' });
    expect((await client.closed).code).toBe(1000);
    expect(client.of('final').at(-1)).toMatchObject({ endpoint_reason: 'close' });
    expect(new Set(client.of('final').map((frame) => frame.utterance_id)).size).toBe(3);
    checkFrames(client.frames);
  }, 60_000);

  it('ignores end, refuses grounding and goes on, and says what it does not know', async () => {
    const server = await openHear();
    const client = await open(server.url);
    client.control({ type: 'end' });
    client.control({ type: 'keepalive' });
    client.control({ type: 'config', grounding: true });
    client.control({ type: 'dance' });
    client.control({ type: 'commit', soon: true });
    await client.until(() => client.frames.length === 3);
    expect(client.frames.map((frame) => [frame.type, frame.error.code, frame.error.param])).toEqual([
      ['error', 'grounding_unavailable', null],
      ['error', 'invalid_request', 'type'],
      ['error', 'invalid_request', 'soon'],
    ]);
    client.control({ type: 'close' });
    expect((await client.closed).code).toBe(1000);
    expect(await server.billed()).toEqual([]);
  });

  it('closes a stream that breaks the protocol, with the reason', async () => {
    const server = await openHear();
    for (const [frame, code] of [
      [Buffer.from([1, 2, 3]), 'invalid_audio'],
      ['no json', 'invalid_request'],
      ['[1]', 'invalid_request'],
    ] as const) {
      const client = await open(server.url);
      client.socket.send(frame);
      expect((await client.closed).code).toBe(1008);
      expect(client.of('error')[0].error.code).toBe(code);
    }
  });

  it('closes a stream of frames without end, however little they hold', async () => {
    const server = await openHear();
    for (const [frame, count] of [
      ['{"type":"dance"}', 2_000],
      [Buffer.from([0, 0]), 20_000],
    ] as const) {
      const client = await open(server.url);
      for (let sent = 0; sent < count; sent++) client.socket.send(frame);
      expect((await client.closed).code).toBe(1008);
      expect(client.of('error').at(-1).error.code).toBe('rate_limit_exceeded');
    }
  }, 60_000);

  it('tells a frame over the limit, after what was said before it', async () => {
    const server = await openHear();
    const client = await open(server.url, `sample_rate=${rate}&language=en`);
    client.say(pcm.subarray(0, 2 * rate * 2), rate);
    client.socket.send(Buffer.alloc(2_000_000));
    expect(await client.closed).toEqual({ code: 1009, reason: 'payload_too_large' });
    expect(client.of('error').map((frame) => frame.error.code)).toEqual(['payload_too_large']);
    expect(client.of('final')).toHaveLength(1);
    expect(client.of('final')[0].text).not.toBe('');
    expect(client.frames.at(-1).type).toBe('usage');
  });

  it('refuses a connection whose query it cannot serve', async () => {
    const server = await openHear();
    const cases: [string, string, string][] = [
      ['language=zz', 'unsupported_language', 'language'],
      ['model=other', 'unsupported_model', 'model'],
      ['sample_rate=11025', 'invalid_request', 'sample_rate'],
      ['sample_rate=x', 'invalid_request', 'sample_rate'],
      ['encoding=mulaw', 'invalid_request', 'encoding'],
      ['endpointing_ms=99', 'invalid_request', 'endpointing_ms'],
      ['endpointing_ms=3001', 'invalid_request', 'endpointing_ms'],
      ['endpointing_ms=1e2', 'invalid_request', 'endpointing_ms'],
    ];
    for (const [query, code, param] of cases) {
      const client = new StreamClient(server.url, query);
      const refused = await client.opened.then(
        () => null,
        (error) => ({ status: error.status, ...JSON.parse(error.message).error }),
      );
      expect(refused).toMatchObject({ status: 400, code, param });
    }
    const silent = await openHear({ scopes: ['hear:transcribe'] });
    await expect(new StreamClient(silent.url).opened).rejects.toMatchObject({ status: 403 });
  });

  it('takes every sample rate of the contract', async () => {
    const server = await openHear();
    for (const sample_rate of [8000, 16000, 24000, 44100, 48000]) {
      const client = await open(
        server.url,
        `sample_rate=${sample_rate}&language=auto&encoding=pcm16&unknown=1`,
      );
      client.say(Buffer.alloc(sample_rate), sample_rate);
      client.control({ type: 'close' });
      expect((await client.closed).code).toBe(1000);
      expect(client.of('usage').at(-1)).toEqual({ type: 'usage', audio_seconds: 0.5, billed_seconds: 0 });
    }
  });

  it('tells capacity after the upgrade, then closes with 1013', async () => {
    const server = await openHear({ engine: { capacity: 800 } });
    // The engine measures at its start how many streams fit; at least one does, and the number is limited.
    const served: StreamClient[] = [];
    let refused: StreamClient | undefined;
    while (refused === undefined && served.length < 800) {
      const client = await open(server.url);
      client.control({ type: 'commit' });
      const answered = await client
        .until(() => client.of('final').length === 1)
        .then(
          () => true,
          () => false,
        );
      if (answered) served.push(client);
      else refused = client;
    }
    expect(served.length).toBeGreaterThan(0);
    expect(await refused!.closed).toEqual({ code: 1013, reason: 'capacity' });
    expect(refused!.frames.map((frame) => frame.type)).toEqual(['error']);
    expect(refused!.frames[0].error).toMatchObject({ code: 'capacity', type: 'server_error' });
    expect(served.length).toBe(Math.floor(800 / server.laneCost));
    served[0]!.control({ type: 'close' });
    expect((await served[0]!.closed).code).toBe(1000);
    const next = await open(server.url);
    for (const client of [...served.slice(1), next]) {
      client.control({ type: 'close' });
      expect((await client.closed).code).toBe(1000);
    }
    expect(server.access.released).toBe(server.access.admitted);
  }, 60_000);

  it('closes after 30 s without audio or keepalive, with the final of what was said', async () => {
    const clock = new ManualClock(Date.UTC(2026, 0, 1));
    const server = await openHear({ clock });
    const client = await open(server.url);
    client.say(pcm.subarray(0, 2 * rate * 2), rate);
    await client.until(() => client.of('partial').length > 0);
    clock.advance(29_000);
    client.control({ type: 'keepalive' });
    client.control({ type: 'dance' });
    await client.until(() => client.of('error').length > 0);
    clock.advance(29_000);
    expect(client.of('final')).toHaveLength(0);
    clock.advance(1_500);
    expect(await client.closed).toEqual({ code: 1000, reason: 'no audio for 30 s' });
    expect(client.of('final')).toHaveLength(1);
    expect(client.frames.at(-1).type).toBe('usage');
  }, 60_000);

  // @requirement Fair use: A stream without audio closes, free of charge.
  it('closes after 120 s of keepalives alone, free, and gives its place back', async () => {
    const clock = new ManualClock(Date.UTC(2026, 0, 1));
    const server = await openHear({ clock });
    const client = await open(server.url);
    let asked = 0;
    const answered = async () => {
      client.control({ type: 'dance' });
      asked += 1;
      await client.until(() => client.of('error').length === asked);
    };
    for (let seconds = 0; seconds < 116; seconds += 29) {
      clock.advance(29_000);
      client.control({ type: 'keepalive' });
      client.socket.send(Buffer.alloc(0));
      await answered();
    }
    clock.advance(3_999);
    await answered();
    clock.advance(1);
    expect(await client.closed).toEqual({ code: 1000, reason: 'no audio for 120 s' });
    expect(client.of('final').map((frame) => frame.text)).toEqual(client.of('final').map(() => ''));
    expect(client.frames.at(-1)).toEqual({ type: 'usage', audio_seconds: 0, billed_seconds: 0 });
    expect(await server.billed()).toEqual([]);
    await expect.poll(() => server.access.released).toBe(1);
    expect(server.access.admitted).toBe(1);
  });

  it('loses nothing that was accepted when the server drains', async () => {
    const server = await openHear();
    const client = await open(server.url);
    client.say(pcm.subarray(0, 4 * rate * 2), rate);
    await client.until(() => client.of('partial').length > 0);
    const drained = server.server.drain(7);
    client.say(pcm.subarray(4 * rate * 2, 5 * rate * 2), rate);
    const before = client.frames.length;
    await client.until(() => client.frames.length > before);
    expect(client.of('usage')).toHaveLength(0);
    await drained;
    expect((await client.closed).code).toBe(1001);
    expect(client.of('final')).toHaveLength(1);
    expect(client.of('final')[0].text.length).toBeGreaterThan(10);
    expect(client.of('final')[0].end).toBeGreaterThan(4);
    expect(await server.billed()).toHaveLength(1);
  }, 60_000);

  it('closes with 4401 when the key dies', async () => {
    const server = await openHear();
    const client = await open(server.url);
    server.access.revoke();
    expect((await client.closed).code).toBe(4401);
  });

  it('gives everything back when the client vanishes', async () => {
    const server = await openHear();
    const client = await open(server.url);
    client.say(pcm.subarray(0, 4 * rate * 2), rate);
    await client.until(() => client.of('partial').length > 0);
    client.socket.terminate();
    await client.closed;
    const next = await open(server.url);
    next.control({ type: 'close' });
    await next.closed;
    expect(server.access.released).toBe(server.access.admitted);
  });
});
