/** The relay lies between a page and a server: a test sets its packet loss, and takes it away. */
import { createSocket, type Socket } from 'node:dgram';
import { onTestFinished } from 'vitest';

function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export class Between {
  readonly #near: Socket;
  readonly #chance = chance(7);
  #page: { port: number; address: string } | null = null;
  loss = 0;
  there = true;
  lost = 0;
  passed = 0;

  private constructor(near: Socket, far: Socket) {
    this.#near = near;
    near.on('message', (packet, from) => {
      this.#page = from;
      if (this.#passes()) far.send(packet);
    });
    far.on('message', (packet) => {
      if (this.#page !== null && this.#passes()) near.send(packet, this.#page.port, this.#page.address);
    });
    far.on('error', () => undefined);
    onTestFinished(() => {
      near.close();
      far.close();
    });
  }

  static async towards(port: number): Promise<Between> {
    const [near, far] = [createSocket('udp4'), createSocket('udp4')];
    await new Promise<void>((resolve) => near.bind(0, '127.0.0.1', resolve));
    await new Promise<void>((resolve) => far.connect(port, '127.0.0.1', resolve));
    return new Between(near, far);
  }

  get port(): number {
    return this.#near.address().port;
  }

  #passes(): boolean {
    const passes = this.there && this.#chance() >= this.loss;
    if (passes) this.passed += 1;
    else this.lost += 1;
    return passes;
  }
}

const CANDIDATE = /^(a=candidate:\S+ 1 UDP \d+ )127\.0\.0\.1 (\d+) (typ host.*)$/gim;

export async function ledThrough(sdp: string, loss: number): Promise<{ sdp: string; ways: Between[] }> {
  const ports = [...new Set([...sdp.matchAll(CANDIDATE)].map((match) => Number(match[2])))];
  const ways = new Map<number, Between>();
  for (const port of ports) {
    const way = await Between.towards(port);
    way.loss = loss;
    ways.set(port, way);
  }
  const led = sdp.replaceAll(
    CANDIDATE,
    (_, head: string, port: string, tail: string) =>
      `${head}127.0.0.1 ${ways.get(Number(port))?.port} ${tail}`,
  );
  return { sdp: led, ways: [...ways.values()] };
}

export const hidden = (sdp: string): string => sdp.replaceAll(/a=candidate:.*\r?\n/g, '');
