import type { Socket } from 'node:net';
import type { PostgresDialectConfig } from 'kysely';
import { type DatabaseConnection, type Driver, PostgresDialect, PostgresDriver } from 'kysely';
import pg from 'pg';
import { refuseInsideTransaction } from './transaction-context.ts';

const INT8 = 20;
const NUMERIC = 1700;

/** Times and counts are bigint columns read as JavaScript numbers; a larger value is an error. */
function exactNumber(text: string): number {
  const value = Number(text);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new RangeError(`The database holds ${text}, beyond the integers that a number keeps exactly.`);
  }
  return value;
}

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    (oid === INT8 || oid === NUMERIC) && format !== 'binary'
      ? exactNumber
      : pg.types.getTypeParser(oid, format as 'text')) as pg.CustomTypesConfig['getTypeParser'],
};

class GuardedPostgresDriver extends PostgresDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    refuseInsideTransaction();
    return (await super.acquireConnection()) as DatabaseConnection;
  }
}

class GuardedPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): Driver {
    return new GuardedPostgresDriver(this.#config) as unknown as Driver;
  }
}

const STATEMENT_MS = 60_000;
const ANSWER_MS = STATEMENT_MS + 5_000;
const CONNECT_MS = 5_000;
const POOL_WAIT_MS = 10_000;
/** With the ten probes that follow a second apart, an idle connection to a vanished server ends in 15 seconds. */
const KEEP_ALIVE_MS = 5_000;
const GOODBYE_MS = 2_000;
const READ_ONLY_TRANSACTION = '25006';
const QUERY_TIMEOUT = 'Query read timeout';

export class PostgresClient extends pg.Client {
  #isStale = false;

  constructor(config: pg.ClientConfig) {
    super({
      ...config,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
  }

  destroy(error?: Error): void {
    (this as unknown as { connection: { stream: Socket } }).connection.stream.destroy(error);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of the library's method are passed through.
  override query(...query: any[]): any {
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    const result = (super.query as any)(...query);
    if (result instanceof Promise) result.catch((error: Error) => this.#onQueryError(error));
    return result;
  }

  /**
   * A connection with an unanswered query is destroyed, because its next user would wait. A connection to a former
   * primary refuses every write; it is destroyed on release, so that the caller sees the transaction's own error.
   */
  #onQueryError(error: Error & { code?: string }): void {
    if (error.message === QUERY_TIMEOUT) this.destroy();
    if (error.code === READ_ONLY_TRANSACTION) this.#isStale = true;
  }

  onRelease(): void {
    if (this.#isStale) void this.end();
  }
}

export async function endBounded(end: Promise<void>, clients: () => Iterable<PostgresClient>): Promise<void> {
  const timer = setTimeout(() => {
    for (const client of clients()) client.destroy();
  }, GOODBYE_MS);
  await end.finally(() => clearTimeout(timer));
}

export interface PostgresOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly onError: (error: Error) => void;
}

export interface OpenedPostgres {
  readonly dialect: PostgresDialect;
  readonly pool: pg.Pool;
  reset(): void;
  close(): Promise<void>;
}

export function openPostgres(options: PostgresOptions): OpenedPostgres {
  const clients = new Set<PostgresClient>();
  const pool = new pg.Pool({
    Client: PostgresClient as unknown as NonNullable<pg.PoolConfig['Client']>,
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: POOL_WAIT_MS,
    query_timeout: ANSWER_MS,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    application_name: 'trunkline',
    types,
  });
  // A cut connection emits `error` besides failing its query. The pool listens only to idle clients, and an unhandled
  // event ends the process, so this listener stays with the client.
  pool.on('connect', (client) => {
    client.on('error', options.onError);
    clients.add(client as unknown as PostgresClient);
  });
  pool.on('release', (_error, client) => (client as unknown as PostgresClient).onRelease());
  pool.on('remove', (client) => clients.delete(client as unknown as PostgresClient));
  pool.on('error', () => {});
  return {
    dialect: new GuardedPostgresDialect({ pool }),
    pool,
    reset: () => {
      for (const client of clients) client.destroy();
    },
    close: async () => {
      if (!pool.ending) await endBounded(pool.end(), () => clients);
    },
  };
}
