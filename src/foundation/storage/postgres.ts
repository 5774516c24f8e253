import type { PostgresDialectConfig } from 'kysely';
import { type DatabaseConnection, type Driver, PostgresDialect, PostgresDriver } from 'kysely';
import pg from 'pg';
import { refuseInsideTransaction } from './context.ts';

const INT8 = 20;
const NUMERIC = 1700;

/** Times and counts are bigint columns and JavaScript numbers; one that a number can't hold is a fault, not data. */
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

export interface PostgresOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly onError: (error: Error) => void;
}

export function openPostgres(options: PostgresOptions): { dialect: PostgresDialect; pool: pg.Pool } {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 10_000,
    // A server that vanished without a word is noticed by the kernel's probes.
    keepAlive: true,
    // A statement or a transaction that hangs gives its connection back instead of draining the pool.
    statement_timeout: 60_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'trunkline',
    types,
  });
  // A connection that is cut emits `error` besides failing its query. The pool listens to idle clients alone, and an
  // event that nobody hears ends the process: this listener stays with the client, whoever has it.
  pool.on('connect', (client) => client.on('error', options.onError));
  // The pool passes on what an idle client has emitted, and the listener above has told it.
  pool.on('error', () => {});
  return { dialect: new GuardedPostgresDialect({ pool }), pool };
}
