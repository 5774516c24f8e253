import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Service } from './service.ts';

// biome-ignore lint/suspicious/noExplicitAny: frames of every kind.
export type Arrived = { at: number; frame: any };

export interface Streamed {
  readonly arrived: readonly Arrived[];
  readonly closeCode: number;
}

export async function streamClip(
  service: Service,
  pcm: Buffer,
  rate: number,
  query: Record<string, string>,
  key = service.key,
): Promise<Streamed> {
  const url = `${service.url.replace('http', 'ws')}/v1/audio/transcriptions/stream`;
  const socket = new WebSocket(`${url}?${new URLSearchParams({ sample_rate: String(rate), ...query })}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const arrived: Arrived[] = [];
  let started = performance.now();
  socket.on('message', (data) =>
    arrived.push({ at: performance.now() - started, frame: JSON.parse(String(data)) }),
  );
  const closed = once(socket, 'close') as Promise<[number]>;
  await once(socket, 'open');
  started = performance.now();
  const step = (rate / 50) * 2;
  for (let at = 0, frame = 0; at < pcm.length; at += step, frame += 1) {
    const late = performance.now() - started - frame * 20;
    if (late < 0) await new Promise((resolve) => setTimeout(resolve, -late));
    if (socket.readyState !== WebSocket.OPEN) break;
    socket.send(pcm.subarray(at, at + step));
  }
  if (socket.readyState === WebSocket.OPEN) socket.send('{"type":"close"}');
  const [closeCode] = await closed;
  return { arrived, closeCode };
}
