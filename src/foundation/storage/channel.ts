import pg from 'pg';
import type { Clock } from '../platform/clock.ts';

export interface Listener {
  /** A message that some node published on the topic. */
  readonly onMessage: (payload: string) => void;
  /** The connection was lost for a while: messages may have been missed, so look for yourself. */
  readonly onGap?: () => void;
}

/** Wakes other nodes. Messages are hints: at most once, in order, up to 7,000 bytes; the tables hold the truth. */
export interface Channel {
  publish(topic: string, payload: string): Promise<void>;
  subscribe(topic: string, listener: Listener): () => void;
  close(): Promise<void>;
}

class Subscriptions {
  readonly #topics = new Map<string, Set<Listener>>();

  add(topic: string, listener: Listener): () => void {
    const set = this.#topics.get(topic) ?? new Set();
    set.add(listener);
    this.#topics.set(topic, set);
    return () => set.delete(listener);
  }

  deliver(topic: string, payload: string): void {
    for (const listener of this.#topics.get(topic) ?? []) listener.onMessage(payload);
  }

  gap(): void {
    for (const set of this.#topics.values()) for (const listener of set) listener.onGap?.();
  }

  clear(): void {
    this.#topics.clear();
  }
}

/** One process: messages go from hand to hand, on a later turn of the loop as they would from a server. */
export function openLocalChannel(): Channel {
  const subscriptions = new Subscriptions();
  return {
    async publish(topic, payload) {
      setImmediate(() => subscriptions.deliver(topic, payload));
    },
    subscribe: (topic, listener) => subscriptions.add(topic, listener),
    async close() {
      subscriptions.clear();
    },
  };
}

export const PG_CHANNEL = 'trunkline';
const MAX_PAYLOAD_BYTES = 7000;
const RECONNECT_MS = [100, 500, 1000, 2000, 5000];

export function encodeMessage(topic: string, payload: string): string {
  const text = JSON.stringify([topic, payload]);
  if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES) {
    throw new RangeError(`A message on ${topic} is longer than ${MAX_PAYLOAD_BYTES} bytes.`);
  }
  return text;
}

export interface PostgresChannelOptions {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
}

/** LISTEN on a connection of its own, which is made again whenever it is lost. */
export class PostgresChannel implements Channel {
  readonly #options: PostgresChannelOptions;
  readonly #subscriptions = new Subscriptions();
  #client: pg.Client | null = null;
  #closed = false;
  #failures = 0;
  /** Settles when what was published last is sent: on a pool's connections a later message would overtake. */
  #sent: Promise<unknown> = Promise.resolve();
  #cancelRetry: () => void = () => {};

  constructor(options: PostgresChannelOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      application_name: 'trunkline listen',
      // It only ever reads: without probes a server that vanished would never be missed.
      keepAlive: true,
    });
    client.on('notification', (message) => this.#receive(message.payload ?? ''));
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('The listening connection to PostgreSQL ended.')));
    this.#client = client;
    await client.connect();
    await client.query(`listen ${PG_CHANNEL}`);
    if (this.#failures > 0) this.#subscriptions.gap();
    this.#failures = 0;
  }

  async publish(topic: string, payload: string): Promise<void> {
    const message = encodeMessage(topic, payload);
    const sent = this.#sent.then(() =>
      this.#options.pool.query('select pg_notify($1, $2)', [PG_CHANNEL, message]),
    );
    this.#sent = sent.catch(() => {});
    await sent;
  }

  subscribe(topic: string, listener: Listener): () => void {
    return this.#subscriptions.add(topic, listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry();
    this.#subscriptions.clear();
    const client = this.#client;
    this.#client = null;
    await client?.end();
  }

  #receive(text: string): void {
    try {
      const [topic, payload] = JSON.parse(text) as [string, string];
      this.#subscriptions.deliver(topic, payload);
    } catch (error) {
      // Whoever may use the database may send on the channel, and an error here would end the process.
      this.#options.onError(error as Error);
    }
  }

  #lost(client: pg.Client, error: Error): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = null;
    client.end().catch(() => {});
    this.#options.onError(error);
    const wait = RECONNECT_MS[Math.min(this.#failures, RECONNECT_MS.length - 1)] as number;
    this.#failures += 1;
    this.#cancelRetry = this.#options.clock.after(wait, () => {
      this.open().catch((cause: Error) => {
        const current = this.#client;
        if (current) this.#lost(current, cause);
      });
    });
  }
}
