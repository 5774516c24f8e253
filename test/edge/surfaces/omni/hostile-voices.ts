import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const BYTES_PER_MS = 48;
const FRAME = 20 * BYTES_PER_MS;

type Behaviour = (response: ServerResponse, sound: Buffer) => void;

const begin = (response: ServerResponse, type = 'audio/pcm'): void =>
  void response.writeHead(200, { 'content-type': type });

function frames(response: ServerResponse, sound: Buffer, limit: number, then: () => void): void {
  for (let at = 0; at < limit; at += FRAME) response.write(sound.subarray(at, Math.min(limit, at + FRAME)));
  then();
}

const half = (sound: Buffer): number => Math.floor(sound.length / 2 / FRAME) * FRAME;

export const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  whole: (response, sound) => {
    begin(response);
    response.end(sound);
  },
  mute: () => undefined,
  stalls: (response, sound) => {
    begin(response);
    frames(response, sound, half(sound), () => undefined);
  },
  'drops the connection': (response, sound) => {
    begin(response);
    frames(response, sound, half(sound), () => setTimeout(() => response.destroy(), 50));
  },
  'ends too early': (response, sound) => {
    begin(response);
    frames(response, sound, Math.floor(sound.length / 4 / FRAME) * FRAME, () => response.end());
  },
  'another rate': (response, sound) => {
    begin(response, 'audio/pcm;rate=8000');
    response.end(sound);
  },
  'another format': (response) => {
    begin(response, 'application/octet-stream');
    response.end(Buffer.concat([Buffer.from('ID3'), Buffer.alloc(20_000, 0x55)]));
  },
  silence: (response, sound) => {
    begin(response);
    response.end(Buffer.alloc(sound.length));
  },
  'does not end': (response, sound) => {
    begin(response);
    const timer = setInterval(() => response.write(sound), 5);
    response.on('close', () => clearInterval(timer));
  },
  refuses: (response) => void response.writeHead(401).end('{"error":"no such key"}'),
  'is down': (response) => void response.writeHead(503).end(),
  'is busy': (response) => void response.writeHead(429).end(),
};

export async function openHostileVoices(sound: Buffer) {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { voice } = JSON.parse(Buffer.concat(parts).toString()) as { voice: string };
      BEHAVIOURS[voice]!(response, sound);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
