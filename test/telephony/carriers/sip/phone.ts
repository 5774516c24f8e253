import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { end, freePort } from './peers.ts';

export interface Baresip {
  readonly port: number;
  readonly said: () => string;
  command(name: string, params?: string): Promise<void>;
  readonly heard: () => Int16Array;
  stop(): Promise<void>;
}

export interface BaresipOptions {
  readonly wav: Buffer;
  readonly dial?: string;
  readonly codec: string;
  readonly mediaenc?: string;
  /** `early` sends 183 with early media, and answers at the command `accept`. */
  readonly answer?: 'auto' | 'early' | 'manual';
  /** PEM of a key with its certificate: the telephone takes calls over TLS too, at the next port. */
  readonly certificate?: string;
}

export async function baresip(options: BaresipOptions): Promise<Baresip> {
  const folder = mkdtempSync(join(tmpdir(), 'baresip-'));
  const port = freePort();
  const commands = freePort();
  const wav = join(folder, 'in.wav');
  writeFileSync(wav, options.wav);
  const modules = spawnSync('sh', [
    '-c',
    'dirname $(find /usr/lib -name aufile.so -path "*baresip*" | head -1)',
  ]);
  const lines = [
    `sip_listen 127.0.0.1:${port}`,
    'audio_player aubridge,nobody',
    `audio_source aufile,${wav}`,
    'ausrc_srate 8000',
    'auplay_srate 8000',
    `ctrl_tcp_listen 127.0.0.1:${commands}`,
    ...(options.certificate === undefined ? [] : [`sip_certificate ${options.certificate}`]),
    `rtp_ports ${port + 20000}-${port + 20100}`,
    `module_path ${modules.stdout.toString().trim()}`,
    ...['g711', 'opus', 'aufile', 'aubridge', 'sndfile', 'srtp'].map((name) => `module ${name}.so`),
    ...['uuid', 'account'].map((name) => `module_tmp ${name}.so`),
    ...['menu', 'ctrl_tcp'].map((name) => `module_app ${name}.so`),
    `snd_path ${folder}`,
  ];
  writeFileSync(join(folder, 'config'), `${lines.join('\n')}\n`);
  const encrypts = options.mediaenc === undefined ? '' : `;mediaenc=${options.mediaenc}`;
  writeFileSync(
    join(folder, 'accounts'),
    `<sip:tester@127.0.0.1:${port}>;regint=0;answermode=${options.answer ?? 'auto'};audio_codecs=${options.codec}${encrypts}\n`,
  );
  writeFileSync(join(folder, 'contacts'), '');
  const dial = options.dial === undefined ? [] : ['-e', `/dial ${options.dial}`];
  const child = spawn('baresip', ['-f', folder, ...dial], { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.on('data', (text) => (said += text));
  child.stderr.on('data', (text) => (said += text));
  await new Promise<void>((resolve) => {
    const look = () => said.includes('baresip is ready') && resolve();
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('close', () => resolve());
  });
  let stored: Int16Array = new Int16Array();
  let stopped = false;
  return {
    port,
    said: () => said,
    command: async (name, params = '') => {
      const socket = connect(commands, '127.0.0.1');
      await once(socket, 'connect');
      const answer = await ask(socket, { command: name, params, token: name });
      socket.destroy();
      if (!answer.ok) throw new Error(`baresip: ${answer.data}`);
    },
    heard: () => stored,
    stop: async () => {
      if (stopped) return;
      stopped = true;
      await end(child);
      const decoded = readdirSync(folder).find((name) => name.endsWith('dec.wav'));
      if (decoded !== undefined) {
        stored = pcmOf(readFileSync(join(folder, decoded)));
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface CommandAnswer {
  readonly ok: boolean;
  readonly data: string;
}

async function ask(socket: Socket, command: object): Promise<CommandAnswer> {
  const text = JSON.stringify(command);
  socket.write(`${text.length}:${text},`);
  let came = '';
  for await (const piece of socket) {
    came += String(piece);
    for (let colon = came.indexOf(':'); colon > 0; colon = came.indexOf(':')) {
      const end = colon + 1 + Number(came.slice(0, colon));
      if (came.length <= end) break;
      const reported = JSON.parse(came.slice(colon + 1, end)) as CommandAnswer & { response?: boolean };
      came = came.slice(end + 1);
      if (reported.response === true) return reported;
    }
  }
  throw new Error('baresip has ended');
}

export function pcmOf(wav: Buffer): Int16Array {
  const data = wav.indexOf('data') + 8;
  const step = wav.readUInt16LE(22) * (wav.readUInt32LE(24) / 8000);
  const pcm = new Int16Array(Math.floor((wav.length - data) / 2 / step));
  for (let i = 0; i < pcm.length; i++) pcm[i] = wav.readInt16LE(data + 2 * Math.floor(i * step));
  return pcm;
}

export function wavOf(mono: Int16Array, channels = 1): Buffer {
  const pcm = new Int16Array(mono.length * channels).map(
    (_, at) => mono[Math.floor(at / channels)] as number,
  );
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + pcm.byteLength, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(16000 * channels, 28);
  head.writeUInt16LE(2 * channels, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(pcm.byteLength, 40);
  return Buffer.concat([head, Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength)]);
}

/** Generates audio that resembles no other stretch of itself: tones that change every 100 ms, by a seed. */
export function melody(seconds: number, seed = 1): Int16Array {
  const pcm = new Int16Array(seconds * 8000);
  let state = seed;
  let hertz = 300;
  let phase = 0;
  for (let i = 0; i < pcm.length; i++) {
    if (i % 800 === 0) {
      state = (state * 1103515245 + 12345) & 0x7fffffff;
      hertz = 300 + (state % 2000);
    }
    phase += (2 * Math.PI * hertz) / 8000;
    pcm[i] = 9000 * Math.sin(phase);
  }
  return pcm;
}

const STRETCH = 1600;

/** Returns the correlation of 200 ms of `heard` and `said`: -1 to 1. */
function alike(said: ArrayLike<number>, at: number, heard: Int16Array, from: number): number {
  let product = 0;
  let one = 1;
  let other = 1;
  for (let i = 0; i < STRETCH; i += 2) {
    const a = said[at + i] ?? 0;
    const b = heard[from + i] ?? 0;
    product += a * b;
    one += a * a;
    other += b * b;
  }
  return product / Math.sqrt(one * other);
}

/** Shifts `sound` earlier by a part of a sample, with a windowed sinc of 16 taps. */
function earlier(sound: Int16Array, part: number): Float32Array {
  const taps = Array.from({ length: 16 }, (_, at) => {
    const x = at - 7 - part;
    const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
    return sinc * Math.cos((Math.PI * x) / 17) ** 2;
  });
  return Float32Array.from(sound, (_, i) =>
    taps.reduce((sum, tap, at) => sum + tap * (sound[i + at - 7] ?? 0), 0),
  );
}

/**
 * Returns the best correlation of a stretch of `heard` with any stretch of `said`, 0 to 1, to an eighth of a sample:
 * filters on the path delay audio by a fraction of a sample.
 */
export function correlation(said: Int16Array, heard: Int16Array, from: number): number {
  let best = { at: 0, value: -1 };
  for (let at = 0; at + STRETCH <= said.length; at++) {
    const value = alike(said, at, heard, from);
    if (value > best.value) best = { at, value };
  }
  const near = said.slice(Math.max(0, best.at - 9), best.at + STRETCH + 9);
  const middle = Math.min(9, best.at);
  for (let part = -7; part < 8; part++)
    best = { ...best, value: Math.max(best.value, alike(earlier(near, part / 8), middle, heard, from)) };
  return best.value;
}
