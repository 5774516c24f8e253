import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import {
  ANY_LANGUAGE,
  ProviderError,
  type SpeechProvider,
  VOICE_ADAPTERS,
} from '../../../src/speech/providers/index.ts';

const { deepgram: deepgramSpeech, elevenlabs: elevenLabsSpeech } = VOICE_ADAPTERS;
const TEXT = 'Good morning.';
const SOUND = Buffer.alloc(4_800, 0x11);
const FRAME = 480;

let server: WebSocketServer;
let gate: UrlGate;
const asked: { path: string; key: string | undefined; messages: unknown[] }[] = [];
let serve: (socket: WebSocket, message: { text?: string; type?: string }) => void;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  gate = new UrlGate({ allowLoopback: true });
  asked.length = 0;
  server.on('connection', (socket, request) => {
    const { 'xi-api-key': elevenLabs, authorization } = request.headers;
    const one = {
      path: request.url!,
      key: (elevenLabs ?? authorization) as string,
      messages: [] as unknown[],
    };
    asked.push(one);
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { text?: string; type?: string };
      one.messages.push(message);
      serve(socket, message);
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
});
afterEach(async () => {
  for (const client of server.clients) client.terminate();
  await new Promise((resolve) => server.close(resolve));
  await gate.close();
});

const urlOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const options = () => ({ gate, name: 'default', url: urlOf(), key: 'k', voices: { [ANY_LANGUAGE]: 'anna' } });
const PROVIDERS: Record<string, () => SpeechProvider> = {
  elevenlabs: () => elevenLabsSpeech({ ...options(), model: 'flash' }),
  deepgram: () => deepgramSpeech(options()),
};

const isLast = ({ text, type }: { text?: string; type?: string }) => text === '' || type === 'Flush';

const sendSound = (kind: string, socket: WebSocket, bytes: Buffer, chars: string[] = []): void => {
  if (kind === 'deepgram') socket.send(bytes);
  else socket.send(JSON.stringify({ audio: bytes.toString('base64'), isFinal: null, alignment: { chars } }));
};
const sendEnd = (kind: string, socket: WebSocket): void =>
  socket.send(
    JSON.stringify(
      kind === 'deepgram' ? { type: 'Flushed', sequence_id: 0 } : { audio: null, isFinal: true },
    ),
  );

async function spoken(provider: SpeechProvider, signal = new AbortController().signal) {
  const pcm: Uint8Array[] = [];
  let characters = 0;
  let fault: string | null = null;
  try {
    for await (const sound of provider.speak(TEXT, 'en', signal)) {
      pcm.push(sound.pcm);
      characters = sound.characters ?? characters;
    }
  } catch (error) {
    expect(error).toBeInstanceOf(ProviderError);
    fault = (error as ProviderError).fault;
  }
  return { pcm: Buffer.concat(pcm), characters, fault };
}

const both = Object.keys(PROVIDERS);

it('asks ElevenLabs as its documentation says, and reads the characters', async () => {
  serve = (socket, message) => {
    if (!isLast(message)) return;
    sendSound('elevenlabs', socket, SOUND, [...'Good ']);
    sendSound('elevenlabs', socket, SOUND, [...'morning. ']);
    sendEnd('elevenlabs', socket);
  };
  const { pcm, characters, fault } = await spoken(PROVIDERS.elevenlabs!());
  expect([pcm.length, characters, fault]).toEqual([2 * SOUND.length, TEXT.length, null]);
  expect(asked).toEqual([
    {
      path: '/v1/text-to-speech/anna/stream-input?model_id=flash&output_format=pcm_24000',
      key: 'k',
      messages: [{ text: ' ' }, { text: `${TEXT} `, flush: true }, { text: '' }],
    },
  ]);
});

it('asks Deepgram as its documentation says', async () => {
  serve = (socket, message) => {
    if (!isLast(message)) return;
    socket.send(JSON.stringify({ type: 'Metadata', request_id: 'r' }));
    sendSound('deepgram', socket, SOUND);
    socket.send(JSON.stringify({ type: 'Warning', description: 'slow' }));
    sendEnd('deepgram', socket);
  };
  expect(await spoken(PROVIDERS.deepgram!())).toMatchObject({ fault: null, pcm: SOUND });
  expect(asked).toEqual([
    {
      path: '/v1/speak?model=anna&encoding=linear16&sample_rate=24000',
      key: 'Token k',
      messages: [{ type: 'Speak', text: TEXT }, { type: 'Flush' }],
    },
  ]);
});

it.each(both)('%s: gives whole samples, however the sound is cut', async (kind) => {
  serve = (socket, message) => {
    if (!isLast(message)) return;
    for (let at = 0; at < SOUND.length; at += 7) sendSound(kind, socket, SOUND.subarray(at, at + 7));
    sendEnd(kind, socket);
  };
  const { pcm, fault } = await spoken(PROVIDERS[kind]!());
  expect([pcm.equals(SOUND), fault]).toEqual([true, null]);
});

it.each(both)('%s: tells an end before the text, after every frame', async (kind) => {
  for (let frames = 0; frames <= SOUND.length / FRAME; frames += 2) {
    serve = (socket, message) => {
      if (!isLast(message)) return;
      for (let at = 0; at < frames * FRAME; at += FRAME)
        sendSound(kind, socket, SOUND.subarray(at, at + FRAME));
      socket.close(1000);
    };
    const { pcm, fault } = await spoken(PROVIDERS[kind]!());
    expect([pcm.length, fault], `${frames} frames`).toEqual([frames * FRAME, 'incomplete']);
  }
});

it.each(
  both.flatMap((kind): [string, string, (socket: WebSocket) => void, string][] => [
    [kind, 'breaks', (socket) => socket.terminate(), 'unreachable'],
    [kind, 'is closed for an error of the server', (socket) => socket.close(1011, 'oops'), 'unreachable'],
    [kind, 'sends what is no JSON', (socket) => socket.send('<html>'), 'garbage'],
    [
      kind,
      'sends an error',
      (socket) =>
        socket.send(
          JSON.stringify(
            kind === 'deepgram'
              ? { type: 'Error', description: 'no credit' }
              : { error: 'quota', message: 'no credit' },
          ),
        ),
      'refused',
    ],
    [
      kind,
      'sends MP3',
      (socket) => sendSound(kind, socket, Buffer.concat([Buffer.from('ID3'), SOUND])),
      'garbage',
    ],
  ]),
)('%s: a socket that %s is told', async (kind, _what, act, fault) => {
  serve = (socket, message) => {
    if (isLast(message)) act(socket);
  };
  expect((await spoken(PROVIDERS[kind]!())).fault).toBe(fault);
});

const unprintable = { toString: 1, valueOf: 1 };
it.each([
  ['elevenlabs', null, 'garbage'],
  ['elevenlabs', { error: unprintable, message: unprintable }, 'refused'],
  ['elevenlabs', { alignment: 5, audio: unprintable, isFinal: true }, null],
  ['deepgram', null, 'garbage'],
  ['deepgram', { type: 'Error', description: unprintable }, 'refused'],
])('%s: a message whose fields are of other types (%o) ends as %s', async (kind, message, fault) => {
  serve = (socket, said) => {
    if (isLast(said)) socket.send(JSON.stringify(message));
  };
  expect((await spoken(PROVIDERS[kind]!())).fault).toBe(fault);
});

it.each(both)('%s: a message of more than a MiB is refused', async (kind) => {
  serve = (socket, message) => {
    if (!isLast(message)) return;
    sendSound(kind, socket, Buffer.alloc(2 * 1024 * 1024, 0x11));
    sendEnd(kind, socket);
  };
  const { pcm, fault } = await spoken(PROVIDERS[kind]!());
  expect([pcm.length, fault]).toEqual([0, 'unreachable']);
});

it.each(both)('%s: sound without end is refused, and its socket closed', async (kind) => {
  const closed = new Promise((resolve) => {
    serve = (socket, message) => {
      if (!isLast(message)) return;
      socket.on('close', resolve);
      const timer = setInterval(() => {
        if (socket.readyState !== socket.OPEN) clearInterval(timer);
        else if (socket.bufferedAmount < 4 * 1024 * 1024)
          sendSound(kind, socket, Buffer.alloc(700 * 1024, 0x11));
      }, 1);
    };
  });
  const { pcm, fault } = await spoken(PROVIDERS[kind]!());
  expect(fault).toBe('garbage');
  expect(pcm.length).toBeLessThan(33 * 1024 * 1024);
  await closed;
});

it.each(both)('%s: a server that is not there is told', async (kind) => {
  const provider = PROVIDERS[kind]!();
  await new Promise((resolve) => server.close(resolve));
  expect((await spoken(provider)).fault).toBe('unreachable');
});

it.each(both)('%s: an abort ends it without an error, and closes the socket', async (kind) => {
  const aborting = new AbortController();
  const closed = new Promise((resolve) => {
    serve = (socket, message) => {
      if (!isLast(message)) return;
      socket.on('close', resolve);
      sendSound(kind, socket, SOUND);
      aborting.abort();
    };
  });
  expect((await spoken(PROVIDERS[kind]!(), aborting.signal)).fault).toBeNull();
  await closed;
});

it('goes nowhere that the gate does not let it', async () => {
  const closedGate = new UrlGate({ allowLoopback: false });
  const { fault } = await spoken(elevenLabsSpeech({ ...options(), gate: closedGate }));
  expect([fault, asked]).toEqual(['unreachable', []]);
  await closedGate.close();
});
