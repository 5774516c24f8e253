import type pg from 'pg';
import type { Clock } from '../platform/clock.ts';
import { endBounded, PostgresClient } from './postgres.ts';

export interface ChannelListener {
  readonly onMessage: (payload: string) => void;
  /** The connection was lost for a while, so messages may be missing and the subscriber must read the tables. */
  readonly onGap?: () => void;
}

/** Wakes other nodes. Messages are hints: at most once, in order, up to 7,000 bytes. The tables are authoritative. */
export interface NotificationChannel {
  publish(topic: string, payload: string): Promise<void>;
  subscribe(topic: string, listener: ChannelListener): () => void;
  /** Returns false where no message reaches the node, because its process has ended or has lost the database. */
  isListening(nodeId: string): Promise<boolean>;
  close(): Promise<void>;
}

class Subscriptions {
  readonly #topics = new Map<string, Set<ChannelListener>>();

  add(topic: string, listener: ChannelListener): () => void {
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

export function openLocalChannel(nodeId: string): NotificationChannel {
  const subscriptions = new Subscriptions();
  return {
    async publish(topic, payload) {
      setImmediate(() => subscriptions.deliver(topic, payload));
    },
    subscribe: (topic, listener) => subscriptions.add(topic, listener),
    isListening: async (id) => id === nodeId,
    async close() {
      subscriptions.clear();
    },
  };
}

export const PG_CHANNEL = 'trunkline';
/** The value is arbitrary: it is the first half of an advisory lock whose second half is the listening node. */
const LISTENER_LOCK_CLASS = 1_953_265_514;
const MAX_PAYLOAD_BYTES = 7000;
const RECONNECT_MS = [100, 500, 1000, 2000, 2000];
const HEARTBEAT_EVERY_MS = 2_000;
const HEARTBEAT_DEADLINE_MS = 3_000;

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
  readonly nodeId: string;
  readonly onError: (error: Error) => void;
  /**
   * The server no longer answers on the listening connection, or became a standby: no other connection to it can be
   * trusted.
   */
  readonly onSilent: () => void;
}

/**
 * Runs LISTEN on its own connection and reconnects when it is lost. A heartbeat detects a server that went silent
 * without closing the connection.
 */
export class PostgresChannel implements NotificationChannel {
  readonly #options: PostgresChannelOptions;
  readonly #subscriptions = new Subscriptions();
  #client: PostgresClient | null = null;
  #closed = false;
  #failures = 0;
  /** It settles when the last message is sent. On pooled connections a later message could overtake it. */
  #sent: Promise<unknown> = Promise.resolve();
  #cancelRetry: () => void = () => {};
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(options: PostgresChannelOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const client = new PostgresClient({
      connectionString: this.#options.url,
      application_name: 'trunkline listen',
    });
    client.on('notification', (message) => this.#receive(message.payload ?? ''));
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('The listening connection to PostgreSQL ended.')));
    this.#client = client;
    await client.connect();
    await client.query({
      text: `listen ${PG_CHANNEL}`,
      query_timeout: HEARTBEAT_DEADLINE_MS,
    } as pg.QueryConfig);
    // PostgreSQL releases the lock as soon as the connection ends. It is shared, because the connection before may not have ended yet.
    await client.query({
      text: 'select pg_advisory_lock_shared($1::int, hashtext($2))',
      values: [LISTENER_LOCK_CLASS, this.#options.nodeId],
      query_timeout: HEARTBEAT_DEADLINE_MS,
    } as pg.QueryConfig);
    if (this.#failures > 0) this.#subscriptions.gap();
    this.#failures = 0;
    this.#beatLater(client);
  }

  #beatLater(client: PostgresClient): void {
    this.#heartbeat = setTimeout(() => void this.#beat(client), HEARTBEAT_EVERY_MS);
    this.#heartbeat.unref();
  }

  async #beat(client: PostgresClient): Promise<void> {
    let answered = false;
    // The library's own timeout would fire before a busy event loop reads an answer that is already in the socket.
    const deadline = setTimeout(() => {
      setImmediate(() => {
        if (!answered) this.#silent(client, `no answer in ${HEARTBEAT_DEADLINE_MS} ms`);
      });
    }, HEARTBEAT_DEADLINE_MS);
    try {
      const { rows } = await client.query('select pg_is_in_recovery() as standby');
      answered = true;
      if (rows[0].standby) this.#silent(client, 'it is a standby now');
      else if (this.#client === client) this.#beatLater(client);
    } catch {
      answered = true;
    } finally {
      clearTimeout(deadline);
    }
  }

  #silent(client: PostgresClient, why: string): void {
    if (this.#closed || this.#client !== client) return;
    this.#options.onSilent();
    this.#lost(client, new Error(`PostgreSQL closed the listening connection: ${why}.`));
  }

  async publish(topic: string, payload: string): Promise<void> {
    const message = encodeMessage(topic, payload);
    const sent = this.#sent.then(() =>
      this.#options.pool.query('select pg_notify($1, $2)', [PG_CHANNEL, message]),
    );
    this.#sent = sent.catch(() => {});
    await sent;
  }

  subscribe(topic: string, listener: ChannelListener): () => void {
    return this.#subscriptions.add(topic, listener);
  }

  async isListening(nodeId: string): Promise<boolean> {
    const { rowCount } = await this.#options.pool.query(
      `select 1 from pg_locks
       where locktype = 'advisory' and objsubid = 2 and classid::bigint = $1 and objid::int = hashtext($2)
         and database = (select oid from pg_database where datname = current_database())
       limit 1`,
      [LISTENER_LOCK_CLASS, nodeId],
    );
    return rowCount !== 0;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry();
    clearTimeout(this.#heartbeat);
    this.#subscriptions.clear();
    const client = this.#client;
    this.#client = null;
    if (client) await endBounded(client.end(), () => [client]);
  }

  #receive(text: string): void {
    try {
      const [topic, payload] = JSON.parse(text) as [string, string];
      this.#subscriptions.deliver(topic, payload);
    } catch (error) {
      // Any user of the database may publish on the channel, so a bad message must not end the process.
      this.#options.onError(error as Error);
    }
  }

  #lost(client: PostgresClient, error: Error): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = null;
    clearTimeout(this.#heartbeat);
    client.destroy();
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
