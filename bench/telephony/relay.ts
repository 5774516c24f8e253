/**
 * rtpengine, a media server for telephone calls, relays between the ends of the calls: Debian's rtpengine-daemon,
 * without its kernel module.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Between, type End, listenTo } from './media.ts';

const ADDRESS = '127.0.0.1';
const ORDERS = 15570;
const AGAIN_MS = 300;
/** The kernel counts a hundred ticks of CPU time a second. */
const TICK_MS = 10;

/** Returns why this part cannot be measured here, or null. */
export const lackingRelay = (): string | null =>
  spawnSync('rtpengine', ['--version']).status === 0 ? null : 'apt-get install rtpengine-daemon';

export const relayVersion = (): string => {
  const { stdout, stderr } = spawnSync('rtpengine', ['--version'], { encoding: 'utf8' });
  return /[0-9]+\.[0-9.]+/.exec(`${stdout}${stderr}`)?.[0] ?? '';
};

type Order = Readonly<Record<string, string>>;
const text = (value: string): string => `${Buffer.byteLength(value)}:${value}`;
const packed = (order: Order): string =>
  `d${Object.keys(order)
    .sort()
    .map((key) => text(key) + text(order[key] as string))
    .join('')}e`;

function description(port: number): string {
  const lines = ['v=0', 'o=a 1 1 IN IP4 127.0.0.1', 's=-', `c=IN IP4 ${ADDRESS}`, 't=0 0'];
  return [...lines, `m=audio ${port} RTP/AVP 0`, ''].join('\r\n');
}

export class Relay implements Between {
  readonly #child: ChildProcess;
  readonly #socket: Socket = createSocket('udp4');
  readonly #waiting = new Map<string, (answer: string) => void>();
  #number = 0;

  private constructor() {
    const places = [`--interface=${ADDRESS}`, `--listen-ng=${ADDRESS}:${ORDERS}`];
    const ports = ['--port-min=20000', '--port-max=31998'];
    this.#child = spawn(
      'rtpengine',
      ['--foreground', '--table=-1', '--log-level=3', '--num-threads=2', ...places, ...ports],
      { stdio: 'ignore' },
    );
    this.#socket.on('message', (bytes) => {
      const answer = bytes.toString('latin1');
      const cookie = answer.slice(0, answer.indexOf(' '));
      this.#waiting.get(cookie)?.(answer);
    });
  }

  static async start(): Promise<Relay> {
    const relay = new Relay();
    relay.#socket.bind(0, ADDRESS);
    await once(relay.#socket, 'listening');
    await relay.#ask({ command: 'ping' });
    return relay;
  }

  async connect(one: End, other: End): Promise<void> {
    const call = { 'call-id': `call-${this.#number}`, 'from-tag': 'a' };
    const towardsOther = await this.#ask({ command: 'offer', ...call, sdp: description(one.port) });
    const answered = { command: 'answer', ...call, 'to-tag': 'b', sdp: description(other.port) };
    const towardsOne = await this.#ask(answered);
    listenTo(other, portOf(towardsOther));
    listenTo(one, portOf(towardsOne));
  }

  spentMs(): number {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'close');
    this.#child.kill();
    await ended;
    this.#socket.close();
  }

  /** Repeats the order until it is answered, because the daemon may not listen yet. */
  async #ask(order: Order): Promise<string> {
    const cookie = `t${this.#number++}`;
    const message = `${cookie} ${packed(order)}`;
    const notify = () => this.#socket.send(message, ORDERS, ADDRESS, () => undefined);
    const again = setInterval(notify, AGAIN_MS);
    try {
      return await new Promise<string>((resolve) => {
        this.#waiting.set(cookie, resolve);
        notify();
      });
    } finally {
      clearInterval(again);
      this.#waiting.delete(cookie);
    }
  }
}

function portOf(answer: string): number {
  const port = /m=audio ([0-9]+)/.exec(answer)?.[1];
  if (port === undefined) throw new Error(`the relay answers: ${answer}`);
  return Number(port);
}
