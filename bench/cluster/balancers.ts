import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { Agent, fetch } from 'undici';
import { WebSocket } from 'ws';
import { pause } from '../../src/apps/caller/index.ts';
import { type ClusterNode, ROOT } from './cluster-nodes.ts';
import { freePort } from './free-port.ts';
import type { PublishedClient } from './resuming-call.ts';

export type BalancerKind = 'haproxy' | 'nginx';

const GUIDE = join(ROOT, 'docs/guides/deploy');

function certificate(folder: string): string {
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
  const chain = readFileSync(join(tls, 'fullchain.pem'), 'utf8');
  writeFileSync(join(tls, 'both.pem'), chain + readFileSync(join(tls, 'privkey.pem'), 'utf8'));
  return tls;
}

/** The files of the deployment guide have two nodes: a line of the first one is repeated for each node here. */
function perNode(
  text: string,
  lineOf: (line: string, node: ClusterNode, at: number) => string,
  nodes: readonly ClusterNode[],
): string {
  return text
    .split('\n')
    .filter((line) => !/^\s*server trunkline-2/.test(line))
    .flatMap((line) =>
      /^\s*server trunkline-1/.test(line) ? nodes.map((node, at) => lineOf(line, node, at)) : [line],
    )
    .join('\n');
}

function haproxyFile(nodes: readonly ClusterNode[], tls: string, port: number, plain: number): string {
  const text = readFileSync(join(GUIDE, 'haproxy.cfg'), 'utf8');
  const lineOf = (line: string, { port: at, agentCheckPort }: ClusterNode, index: number) =>
    line.replace(
      /server trunkline-1 trunkline-1:8080 check/,
      `server trunkline-${index + 1} 127.0.0.1:${at} check agent-port ${agentCheckPort}`,
    );
  return perNode(text, lineOf, nodes)
    .replaceAll('/etc/haproxy/tls', tls)
    .replace('bind :443 ssl', `bind 127.0.0.1:${port} ssl`)
    .replace('bind :80', `bind 127.0.0.1:${plain}`);
}

function nginxFile(
  nodes: readonly ClusterNode[],
  tls: string,
  port: number,
  plain: number,
  folder: string,
): string {
  const text = readFileSync(join(GUIDE, 'nginx.conf'), 'utf8');
  const lineOf = (line: string, { port: at }: ClusterNode) =>
    line.replace('trunkline-1:8080', `127.0.0.1:${at}`);
  const served = perNode(text, lineOf, nodes)
    .replaceAll('/etc/nginx/tls', tls)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('listen 80', `listen 127.0.0.1:${plain}`);
  return `daemon off;\npid ${folder}/pid;\nuser root;\n${served}`;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every kind.
  readonly json: any;
}

export class Balancer {
  readonly kind: BalancerKind;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #url: string;
  readonly #ca: string;
  readonly #agent: Agent;

  private constructor(kind: BalancerKind, child: ChildProcess, folder: string, port: number, ca: string) {
    this.kind = kind;
    this.#child = child;
    this.#folder = folder;
    this.#url = `https://localhost:${port}`;
    this.#ca = ca;
    this.#agent = new Agent({ connect: { ca } });
  }

  static async start(kind: BalancerKind, nodes: readonly ClusterNode[]): Promise<Balancer> {
    const folder = mkdtempSync(join(tmpdir(), `cluster-${kind}-`));
    const tls = certificate(folder);
    const [port, plain] = [await freePort(), await freePort()];
    const file = join(folder, 'conf');
    const program = kind === 'haproxy' ? '/usr/sbin/haproxy' : '/usr/sbin/nginx';
    writeFileSync(
      file,
      kind === 'haproxy' ? haproxyFile(nodes, tls, port, plain) : nginxFile(nodes, tls, port, plain, folder),
    );
    const args =
      kind === 'haproxy' ? ['-db', '-f', file] : ['-c', file, '-p', folder, '-e', join(folder, 'error.log')];
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const failed = new Promise<never>((_resolve, reject) =>
      child.once('exit', (code) => reject(new Error(`${kind} ended with ${code}`))),
    );
    await Promise.race([listening(port), failed]);
    failed.catch(() => undefined);
    return new Balancer(kind, child, folder, port, readFileSync(join(tls, 'fullchain.pem'), 'utf8'));
  }

  /** The published TypeScript client, which trusts this balancer's certificate. */
  async client(key: string): Promise<PublishedClient> {
    const ca = this.#ca;
    (globalThis as { WebSocket: unknown }).WebSocket = class extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols, { ca });
      }
    };
    const file = join(this.#folder, 'client.mjs');
    const build = await rolldown({
      input: join(ROOT, 'src/clients/typescript/src/omni.ts'),
      external: ['ws'],
      tsconfig: false,
    });
    await build.write({ file, format: 'esm' });
    await build.close();
    const { Omni } = (await import(file)) as { Omni: new (address: object) => PublishedClient };
    return new Omni({ baseUrl: this.#url, apiKey: key });
  }

  /** Status 0: no answer came in time, or the connection broke. */
  async send(
    path: string,
    key: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<Answer> {
    try {
      const answer = await fetch(this.#url + path, {
        ...init,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(20_000),
      });
      return { status: answer.status, json: await answer.json().catch(() => null) };
    } catch {
      return { status: 0, json: null };
    }
  }

  stop(): void {
    this.#child.kill('SIGTERM');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const is = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (is) return;
    await pause(50);
  }
}
