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
    // A statement or a transaction that hangs gives its connection back instead of draining the pool.
    statement_timeout: 60_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'trunkline',
    types,
  });
  // An idle connection that the server cuts emits here; unheard, it would end the process.
  pool.on('error', options.onError);
  return { dialect: new GuardedPostgresDialect({ pool }), pool };
}
