import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Agent, type FormData, fetch } from 'undici';
import { WebSocket } from 'ws';
import { freePort } from '../free-port.ts';
import { pollDelay } from '../poll.ts';
import { dataFolder, root } from '../running-server.ts';

export const DEPLOY = join(root, 'docs/guides/deploy');

const program = spawnSync('sh', ['-c', 'PATH=$PATH:/usr/sbin command -v nginx'], {
  encoding: 'utf8',
}).stdout.trim();
export const nginxAbsent = program === '';
if (nginxAbsent && process.env.CI === 'true') throw new Error('nginx is absent: apt-get install nginx-light');
if (nginxAbsent) console.warn('SKIPPED: nothing is served behind nginx (apt-get install nginx-light)');

export function certificate(folder: string): string {
  const tls = join(folder, 'tls');
  mkdirSync(tls);
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', join(tls, 'privkey.pem'), '-out', join(tls, 'fullchain.pem')];
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    ...names,
    ...files,
  ]);
  if (made.status !== 0) throw new Error(`no certificate: ${made.stderr}`);
  return tls;
}

function configured(places: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8');
  for (const [there, here] of Object.entries(places)) {
    if (!text.includes(there)) throw new Error(`nginx.conf has no ${there}`);
    text = text.replaceAll(there, here);
  }
  return text;
}

export class Front {
  readonly url: string;
  readonly plain: string;
  readonly #ca: string;

  constructor(port: number, plain: number, ca: string) {
    this.url = `https://localhost:${port}`;
    this.plain = `http://127.0.0.1:${plain}`;
    this.#ca = ca;
  }

  static async start(nodes: readonly [number, number], ended: (stop: () => void) => void): Promise<Front> {
    const folder = dataFolder();
    const tls = certificate(folder);
    const [port, plain] = [await freePort(), await freePort()];
    const conf = join(folder, 'nginx.conf');
    const text = configured({
      'trunkline-1:8080': `127.0.0.1:${nodes[0]}`,
      'trunkline-2:8080': `127.0.0.1:${nodes[1]}`,
      '/etc/nginx/tls': tls,
      'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
      'listen 80': `listen 127.0.0.1:${plain}`,
    });
    writeFileSync(conf, `daemon off;\npid ${folder}/pid;\nuser root;\n${text}`);
    const child = spawn(program, ['-c', conf, '-p', folder, '-e', join(folder, 'error.log')], {
      stdio: 'inherit',
    });
    ended(() => child.kill('SIGTERM'));
    await listening(port);
    return new Front(port, plain, readFileSync(join(tls, 'fullchain.pem'), 'utf8'));
  }

  send(path: string, { from = '127.0.0.1', ...sent }: Sent = {}) {
    const dispatcher = new Agent({ localAddress: from, connect: { ca: this.#ca } });
    return fetch(this.url + path, { ...sent, dispatcher });
  }

  open(path: string, key: string): WebSocket {
    const headers = { authorization: `Bearer ${key}` };
    return new WebSocket(this.url.replace('https', 'wss') + path, { ca: this.#ca, headers });
  }
}

interface Sent {
  readonly from?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | FormData;
}

export async function listening(port: number): Promise<void> {
  for (;;) {
    const is = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (is) return;
    await pollDelay();
  }
}
