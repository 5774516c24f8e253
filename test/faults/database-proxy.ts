import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The connection is cut before the server has read the statement, or while its answer is under way. */
export type Moment = 'before' | 'after';

const QUERY = 'Q'.charCodeAt(0);
const PARSE = 'P'.charCodeAt(0);
const HEAD = 5;

class Messages {
  #rest = Buffer.alloc(0);
  #begun = false;

  *take(chunk: Buffer): Generator<{ bytes: Buffer; statement: string | null }> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const head = this.#begun ? HEAD : HEAD - 1;
      if (this.#rest.length < head) return;
      const size = this.#rest.readInt32BE(head - 4) + head - 4;
      if (this.#rest.length < size) return;
      const bytes = this.#rest.subarray(0, size);
      this.#rest = this.#rest.subarray(size);
      yield { bytes, statement: this.#begun ? statementOf(bytes) : null };
      this.#begun = true;
    }
  }
}

function statementOf(message: Buffer): string | null {
  if (message[0] === QUERY) return message.toString('utf8', HEAD, message.length - 1);
  if (message[0] === PARSE) return message.toString('utf8', HEAD + 1, message.indexOf(0, HEAD + 1));
  return null;
}

export class DatabaseProxy {
  readonly #server: Server;
  readonly #target: URL;
  readonly #open = new Set<Socket>();
  #left: number | null = null;
  #moment: Moment = 'before';
  asked: string[] = [];
  cut: string | null = null;
  #silent = false;

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((client) => this.#serve(client));
  }

  static async open(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(new URL(databaseUrl));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return url.href;
  }

  arm(at: number | null, moment: Moment = 'before'): void {
    this.asked = [];
    this.cut = null;
    this.#left = at;
    this.#moment = moment;
  }

  cutAll(): void {
    for (const socket of this.#open) socket.resetAndDestroy();
  }

  /** Accepts connections and forwards nothing, as behind a firewall that drops every packet. */
  silence(): void {
    this.#silent = true;
    for (const socket of this.#open) socket.removeAllListeners('data').resume();
  }

  /** Forwards again for new connections; those of the silence stay open without an answer. */
  speak(): void {
    this.#silent = false;
  }

  async close(): Promise<void> {
    this.cutAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(client: Socket): void {
    if (this.#silent) {
      this.#open.add(client);
      client.on('error', () => undefined);
      client.on('close', () => this.#open.delete(client));
      client.resume();
      return;
    }
    const server = connect(Number(this.#target.port), this.#target.hostname);
    const messages = new Messages();
    const cut = () => {
      client.resetAndDestroy();
      server.destroy();
    };
    let cutting = false;
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      this.#open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#open.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.on('data', (chunk: Buffer) => {
      for (const { bytes, statement } of messages.take(chunk)) {
        if (statement !== null && this.#isNext(statement)) {
          cutting = true;
          if (this.#moment === 'before') return cut();
        }
        server.write(bytes);
      }
    });
    server.on('data', (chunk: Buffer) => {
      if (cutting) cut();
      else client.write(chunk);
    });
  }

  #isNext(statement: string): boolean {
    this.asked.push(statement);
    if (this.#left === null) return false;
    this.#left -= 1;
    if (this.#left > 0) return false;
    this.#left = null;
    this.cut = statement;
    return true;
  }
}
