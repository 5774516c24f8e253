/**
 * The program takes the role of one tenant that takes whatever it is given, until it is killed. Its arguments are
 * `URL KEYS SOCKETS KINDS`, keys and kinds of attack separated by commas.
 */
import { connect } from 'node:net';
import { setPriority } from 'node:os';
import { WebSocket } from 'ws';
import { wavHeader } from '../../src/media/codec/index.ts';
import { ATTACKS, type Attack } from './attacks.ts';

// The low priority stands for machines elsewhere: its own work must not slow down the server.
setPriority(19);

const [url = '', keyList = '', sockets = '0', kindList = ATTACKS.join(',')] = process.argv.slice(2);
const keys = keyList.split(',');
const attacks = (kind: Attack) => kindList.split(',').includes(kind);
const { hostname, port } = new URL(url);
const reported = {
  lanes: 0,
  'lanes refused': 0,
  uploads: 0,
  jobs: 0,
  'jobs refused': 0,
  signIns: 0,
  sockets: 0,
  'sockets lost': 0,
};

/** The proxy reports its network, which is not the paying tenant's. */
const FROM = { 'x-forwarded-for': '203.0.113.7' };

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const forever = async (task: () => Promise<unknown>): Promise<void> => {
  for (;;) {
    await task().catch(() => undefined);
    await pause(5);
  }
};

async function holdLane(key: string): Promise<void> {
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/v1/audio/transcriptions/stream?sample_rate=16000`,
    {
      headers: { authorization: `Bearer ${key}`, ...FROM },
    },
  );
  const alive = setInterval(
    () => socket.readyState === WebSocket.OPEN && socket.send('{"type":"keepalive"}'),
    5_000,
  );
  socket.on('open', () => {
    reported.lanes += 1;
    socket.send(Buffer.alloc(6_400));
  });
  socket.on('error', () => {
    reported['lanes refused'] += 1;
  });
  await new Promise((resolve) => socket.on('close', resolve));
  clearInterval(alive);
}

const BOUNDARY = 'hostile';
const part = (name: string, more: string, value: string) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}`;

async function uploadSlowly(path: string, key: string): Promise<void> {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\nx-forwarded-for: ${FROM['x-forwarded-for']}\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: multipart/form-data; boundary=${BOUNDARY}\r\ncontent-length: 20000000\r\n\r\n` +
      `${part('name', '', 'x')}\r\n${part('consent', '', 'true')}\r\n${part('file', '; filename="a.wav"', 'RIFF')}`,
  );
  reported.uploads += 1;
  const drip = setInterval(() => socket.write('....'), 500);
  await new Promise((resolve) => socket.on('close', resolve));
  clearInterval(drip);
}

async function submitJob(key: string): Promise<void> {
  const pcm = Buffer.alloc(320_000);
  const wav = Buffer.concat([wavHeader({ sampleRate: 16_000, channels: 1, sample: 's16' }, pcm.length), pcm]);
  const form = new FormData();
  form.append('file', new Blob([wav]), 'a.wav');
  const answer = await fetch(`${url}/v1/transcription/jobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...FROM },
    body: form,
  });
  await answer.arrayBuffer();
  reported[answer.ok ? 'jobs' : 'jobs refused'] += 1;
}

async function signIn(): Promise<void> {
  const answer = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...FROM },
    body: JSON.stringify({ email: 'nobody@example.com', password: 'not the password' }),
  });
  await answer.arrayBuffer();
  reported.signIns += 1;
}

async function idle(): Promise<void> {
  const socket = connect(Number(port), hostname, () => {
    reported.sockets += 1;
  });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.on('close', resolve));
  reported.sockets -= 1;
  reported['sockets lost'] += 1;
}

for (const key of keys) {
  if (attacks('lanes')) for (let count = 0; count < 4; count += 1) void forever(() => holdLane(key));
  for (const path of ['/v1/voice/clones', '/v1/audio/transcriptions', '/v1/transcription/jobs']) {
    if (attacks('uploads'))
      for (let count = 0; count < 4; count += 1) void forever(() => uploadSlowly(path, key));
  }
  if (attacks('jobs')) for (let count = 0; count < 2; count += 1) void forever(() => submitJob(key));
}
if (attacks('signIns')) for (let count = 0; count < 8; count += 1) void forever(signIn);
for (let count = 0; attacks('sockets') && count < Number(sockets); count += 1) {
  void forever(idle);
  if (count % 200 === 199) await pause(20);
}
process.on('message', () => process.send?.(reported));
process.send?.('ready');
