import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import {
  FRAME_MS,
  FRAME_SAMPLES,
  fromUlaw,
  LINE_RATE,
  pause,
  SeededRandom,
  type SpeechClip,
  toUlaw,
} from '../../src/apps/caller/index.ts';
import { Engine } from '../../src/media/engine/index.ts';
import { wavOf } from '../harness/index.ts';
import { pooled, scoreText } from '../hear/words.ts';
import type { Program } from '../omni/program.ts';
import { listenTo, openEnd } from './media.ts';

const HEADER = 12;
const SILENT = 0xff;
const TAIL_MS = 500;

export interface WordsAtLoss {
  readonly clips: number;
  readonly share: number;
  readonly lost: number;
  readonly concealed: number;
  readonly plain: number;
}

export async function wordsAtLoss(
  program: Program,
  clips: readonly SpeechClip[],
  share: number,
): Promise<WordsAtLoss> {
  const chance = new SeededRandom(Math.round(share * 1000) + 1);
  const sent = clips.map(({ samples }) => {
    const frames: (Buffer | null)[] = [];
    for (let at = 0; at + FRAME_SAMPLES <= samples.length; at += FRAME_SAMPLES) {
      const frame = Buffer.from(Uint8Array.from(samples.subarray(at, at + FRAME_SAMPLES), toUlaw));
      frames.push(chance.next() < share ? null : frame);
    }
    return frames;
  });
  const all = sent.flat();
  const concealed = await overPackets(sent);
  const plain = sent.map((frames) =>
    Buffer.concat(frames.map((one) => one ?? Buffer.alloc(FRAME_SAMPLES, SILENT))),
  );
  return {
    clips: clips.length,
    share,
    lost: all.filter((frame) => frame === null).length / all.length,
    concealed: await errorsOf(program, clips, concealed),
    plain: await errorsOf(program, clips, plain),
  };
}

/**
 * Sends each recording as packets to a lane of its own, all at once, in real time; returns the played audio as u-law.
 */
async function overPackets(recordings: readonly (readonly (Buffer | null)[])[]): Promise<Buffer[]> {
  const engine = new Engine({ slots: recordings.length + 8, capacity: 1_000_000 });
  await engine.prepared();
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  try {
    const ends = await Promise.all(recordings.map(() => openEnd(engine)));
    const heard = ends.map((): Buffer[] => []);
    for (const [at, end] of ends.entries()) {
      end.heard = (piece) => void heard[at]?.push(Buffer.from(piece));
      listenTo(end, socket.address().port);
    }
    const longest = Math.max(...recordings.map(({ length }) => length));
    const began = performance.now();
    for (let number = 0; number < longest; number++) {
      await pause(Math.max(0, began + number * FRAME_MS - performance.now()));
      for (const [at, end] of ends.entries()) {
        const frame = recordings[at]?.[number];
        if (frame) socket.send(packetOf(number, at, frame), end.port, '127.0.0.1');
      }
    }
    await pause(TAIL_MS);
    return heard.map((pieces) => Buffer.concat(pieces));
  } finally {
    socket.close();
    engine.destroy();
  }
}

function packetOf(number: number, source: number, sound: Buffer): Buffer {
  const packet = Buffer.alloc(HEADER + sound.length);
  packet.writeUInt8(0x80, 0);
  packet.writeUInt16BE(number, 2);
  packet.writeUInt32BE(number * FRAME_SAMPLES, 4);
  packet.writeUInt32BE(source + 1, 8);
  sound.copy(packet, HEADER);
  return packet;
}

async function errorsOf(
  program: Program,
  clips: readonly SpeechClip[],
  sounds: readonly Buffer[],
): Promise<number> {
  const scores = [];
  for (const [at, { text }] of clips.entries()) {
    const pcm = Int16Array.from(sounds[at] as Buffer, fromUlaw);
    const heard = await program.transcribe(wavOf(Buffer.from(pcm.buffer), LINE_RATE), 'en');
    scores.push(scoreText(text, heard, 'en'));
  }
  return 100 * pooled(scores);
}
