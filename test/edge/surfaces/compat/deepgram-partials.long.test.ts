/** The engine makes partial transcripts only for streams whose client reads them. */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { SocketRequest } from '../../../../src/edge/server/surface.ts';
import { createDeepgramSurface } from '../../../../src/edge/surfaces/compat/deepgram/index.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { absent, type HearServer, openHear, plain, RECORDING, readPcm, SPOKEN } from '../hear/server.ts';

const unused = () => {
  throw new Error('nobody uploads or mints here');
};

const readings: unknown[] = [];

const open = (): Promise<HearServer> =>
  openHear({
    otherSurfaces: ({ transcriber, stream }) => [
      createDeepgramSurface({
        transcriber,
        stream: {
          ...stream,
          accept: (request: SocketRequest, reading?: Parameters<typeof stream.accept>[1]) => {
            readings.push(reading);
            return stream.accept(request, reading);
          },
        },
        gate: { check: unused, fetch: unused },
        clock: systemClock,
        mintToken: unused,
        decoder: { decode: unused },
        gateway: { admit: unused },
        voices: { defaultFor: unused },
        profiles: { profileFor: unused } as never,
        jobs: { newId: unused } as never,
        queue: { startWorker: () => ({ stop: async () => undefined }) } as never,
        blobs: { put: unused } as never,
        onError: unused,
      }),
    ],
  });

const SECOND = 32_000;

/** Resamples to a rate that streams accept; recognition understands the nearest sample. */
function spoken(): Buffer {
  const { pcm, rate } = readPcm(RECORDING);
  const out = Buffer.alloc(Math.floor(((pcm.length / 2) * 16_000) / rate) * 2);
  for (let i = 0; i < out.length / 2; i++)
    out.writeInt16LE(pcm.readInt16LE(Math.floor((i * rate) / 16_000) * 2), i * 2);
  return out;
}

interface Results {
  readonly type: string;
  readonly is_final?: boolean;
  readonly channel: { readonly alternatives: readonly { readonly transcript: string }[] };
}

async function listen({ url, engine }: HearServer, query: string) {
  const before = engine.stats().pool.partial.done;
  const address = `${url.replace('http', 'ws')}/deepgram/v1/listen?language=en&sample_rate=16000${query}`;
  const socket = new WebSocket(address, { headers: { authorization: `Token ${OneKeyAccess.KEY}` } });
  const results: Results[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Results;
    if (message.type === 'Results') results.push(message);
  });
  await once(socket, 'open');
  const sound = spoken();
  for (let at = 0; at < sound.length; at += SECOND) socket.send(sound.subarray(at, at + SECOND));
  socket.send('{"type":"CloseStream"}');
  await once(socket, 'close');
  const finals = results.filter((one) => one.is_final);
  return {
    interim: results.length - finals.length,
    text: plain(finals.map(({ channel }) => channel.alternatives[0]?.transcript).join(' ')),
    passes: engine.stats().pool.partial.done - before,
  };
}

describe.skipIf(absent)('a live client of Deepgram', () => {
  it('has the same words for good whether it reads words so far or not, and costs no pass where it does not', async () => {
    const server = await open();
    const quiet = await listen(server, '');
    expect(quiet.text).toContain(SPOKEN);
    expect(quiet).toMatchObject({ interim: 0, passes: 0 });
    const read = await listen(server, '&interim_results=true');
    expect(read.text).toContain(SPOKEN);
    expect(read.passes).toBeGreaterThan(0);
    expect((await listen(server, '&vad_events=true')).passes).toBeGreaterThan(0);
    // The protocol has no event for stable words, which would fix the words for good.
    expect(readings).toEqual(
      [false, true, true].map((partials) => ({ partials, stable: false, rate: 16_000 })),
    );
  }, 90_000);
});
