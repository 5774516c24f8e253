import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** `refuse` resets every connection; `swallow` keeps them open and loses every byte, as a firewall does. */
export type ProxyMode = 'pass' | 'refuse' | 'swallow';

interface Pair {
  readonly near: Socket;
  readonly far: Socket | null;
  isSwallowed: boolean;
}

/** The proxy lies between the nodes and one service, and injects the faults of the network between them. */
export class FaultProxy {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #mode: ProxyMode = 'pass';
  target: number;

  private constructor(target: number) {
    this.target = target;
    this.#server = createServer((near) => this.#accept(near));
  }

  static async open(target: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections that were swallowed once stay so: a firewall that forgot them does not remember them later. */
  set mode(mode: ProxyMode) {
    this.#mode = mode;
    for (const pair of this.#pairs) {
      if (mode === 'swallow') pair.isSwallowed = true;
      if (mode === 'refuse') destroy(pair);
    }
  }

  close(): void {
    for (const pair of this.#pairs) destroy(pair);
    this.#server.close();
  }

  #accept(near: Socket): void {
    if (this.#mode === 'refuse') {
      near.resetAndDestroy();
      return;
    }
    const isSwallowed = this.#mode === 'swallow';
    const far = isSwallowed ? null : connect(this.target, '127.0.0.1');
    const pair: Pair = { near, far, isSwallowed };
    this.#pairs.add(pair);
    near.on('data', (bytes) => pair.isSwallowed || far?.write(bytes));
    far?.on('data', (bytes) => pair.isSwallowed || near.write(bytes));
    for (const end of [near, far]) {
      end?.on('error', () => undefined);
      end?.on('close', () => {
        if (pair.isSwallowed && end === far) return;
        this.#pairs.delete(pair);
        destroy(pair);
      });
    }
  }
}

function destroy({ near, far }: Pair): void {
  near.destroy();
  far?.destroy();
}
