// @requirement Measuring: The latency harness measures response latency, interruptions and ducking, and compares runs.
// @requirement Measuring: The latency harness calls servers of Twilio Media Streams.
// @requirement Measuring: The latency harness calls servers of OpenAI Realtime.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import {
  fromUlaw,
  RealtimeTransport,
  sineTone,
  TwilioTransport,
  toUlaw,
} from '../../../src/apps/caller/index.ts';
import {
  duckedAfter,
  figuresOf,
  measure,
  measurementOf,
  plot,
  readMeasurement,
} from '../../../src/apps/measure/index.ts';

const servers: WebSocketServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    for (const client of server.clients) client.terminate();
    server.close();
  }
});

const LOUD = Buffer.from(Uint8Array.from({ length: 160 }, (_, at) => (at % 8 < 4 ? 0x10 : 0x90)));
const isLoud = (frame: Buffer): boolean => frame.some((byte) => (byte & 0x7f) < 0x40);
const ANSWERS_AFTER_FRAMES = 15;
const ANSWER_FRAMES = 150;

interface Double {
  heard(message: Record<string, unknown>): Buffer | null;
  speak(socket: WebSocket, frame: Buffer): void;
  opened(socket: WebSocket, message: Record<string, unknown>): void;
}

/** Answers for 3 s, 300 ms after the last loud frame, and stops at the first loud frame during its answer. */
async function agent({ heard, speak, opened }: Double): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  servers.push(server);
  await once(server, 'listening');
  server.on('connection', (socket) => {
    let [silent, spoke, left] = [0, false, 0];
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as Record<string, unknown>;
      opened(socket, message);
      const frame = heard(message);
      if (frame === null) return;
      const loud = isLoud(frame);
      silent = loud ? 0 : silent + 1;
      if (loud) [spoke, left] = [true, 0];
      if (spoke && silent === ANSWERS_AFTER_FRAMES) [spoke, left] = [false, ANSWER_FRAMES];
      if (left > 0) speak(socket, LOUD);
      left -= 1;
    });
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const twilio: Double = {
  opened: () => undefined,
  heard: ({ event, media }) =>
    event === 'media' ? Buffer.from((media as { payload: string }).payload, 'base64') : null,
  speak: (socket, frame) =>
    socket.send(JSON.stringify({ event: 'media', media: { payload: frame.toString('base64') } })),
};
const realtime: Double = {
  opened: (socket, { type }) => {
    if (type === 'session.update') socket.send(JSON.stringify({ type: 'session.updated' }));
  },
  heard: ({ type, audio }) =>
    type === 'input_audio_buffer.append' ? Buffer.from(audio as string, 'base64') : null,
  speak: (socket, frame) =>
    socket.send(JSON.stringify({ type: 'response.output_audio.delta', delta: frame.toString('base64') })),
};

/** The double takes PCM16 at 24 kHz alone, and refuses a session with another format. */
const realtimePcm: Double = {
  opened: (socket, { type, session }) => {
    const { audio } = (session ?? {}) as {
      audio?: { input: { format: object }; output: { format: object } };
    };
    const pcm = { type: 'audio/pcm', rate: 24_000 };
    if (type !== 'session.update') return;
    expect([audio?.input.format, audio?.output.format]).toEqual([pcm, pcm]);
    socket.send(JSON.stringify({ type: 'session.updated' }));
  },
  heard: (message) => {
    const bytes = realtime.heard(message);
    if (bytes === null) return null;
    expect(bytes).toHaveLength(960);
    return Buffer.from(Array.from({ length: 160 }, (_, at) => toUlaw(bytes.readInt16LE(at * 6 + 4))));
  },
  speak: (socket, frame) => {
    const pcm = Int16Array.from({ length: 480 }, (_, at) => fromUlaw(frame[Math.floor(at / 3)] as number));
    realtime.speak(socket, Buffer.from(pcm.buffer));
  },
};

const sound = [sineTone(0.5, 400)];
const sounds = { questions: sound, interruptions: sound, listening: sound };

it.concurrent.each([
  ['twilio', async () => new TwilioTransport({ url: await agent(twilio) })],
  ['realtime', async () => new RealtimeTransport({ url: await agent(realtime), key: 'k' })],
  ['realtime', async () => new RealtimeTransport({ url: await agent(realtimePcm), key: 'k', sound: 'pcm' })],
] as const)(
  'measures what a caller hears over %s',
  async (protocol, wire) => {
    const opened = await wire();
    const found = await measure(() => opened, sounds, 1);
    expect(found.firstWordMs).toBeNull();
    expect(found.gapsMs[0]).toBeGreaterThan(200);
    expect(found.gapsMs[0]).toBeLessThan(3_000);
    const one = measurementOf({ protocol, target: 'double', measured_at: '2026-01-01' }, [found]);
    expect(readMeasurement(JSON.stringify(one), 'a.json')).toEqual(one);
    expect(figuresOf(one).find(([name]) => name === 'response latency, p50')?.[1]).toContain('n 1');
    expect(plot([one, one])).toContain('<circle');
  },
  180_000,
);

it('finds when a voice is ducked and when it is silent, and takes a short pause for neither', () => {
  const quiet = (at: number, hole: [number, number], level: number) =>
    at >= hole[0] && at < hole[1] ? level : 8000;
  const playout = (hole: [number, number], level: number) => ({
    sounded: (from: number, count: number) =>
      Int16Array.from({ length: count }, (_, i) => quiet(from + i / 8, hole, level) * (i % 2 ? 1 : -1)),
  });
  expect(duckedAfter(playout([2300, 9000], 0), 2000, 5000)).toEqual({ cutMs: 300, duckMs: 300 });
  expect(duckedAfter(playout([2300, 2600], 0), 2000, 5000)).toEqual({ cutMs: null, duckMs: null });
  expect(duckedAfter(playout([2300, 9000], 400), 2000, 5000)).toEqual({ cutMs: null, duckMs: 300 });
});

it('refuses a file that is no measurement', () => {
  expect(() => readMeasurement('{', 'a.json')).toThrow('a.json: it is not JSON');
  expect(() => readMeasurement('{}', 'a.json')).toThrow('not a measurement');
});
