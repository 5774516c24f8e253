import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  type AccessService,
  createAccess,
  type IssuedKey,
  type RequestCredentials,
} from '../../src/foundation/access/index.ts';
import { type BillingService, createBilling, type UsageEvent } from '../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../src/foundation/platform/clock.ts';
import { newId } from '../../src/foundation/platform/ids.ts';
import { openStorage, type Storage, type StorageOptions } from '../../src/foundation/storage/index.ts';
import { DEPLOYMENT_SEALER } from '../../test/foundation/access/deployment-sealer.ts';

export interface StorageBackend {
  readonly name: 'SQLite' | 'PostgreSQL';
  readonly options: Pick<StorageOptions, 'dataDir' | 'databaseUrl'>;
  remove(): Promise<void>;
}

export function sqliteBackend(): StorageBackend {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-access-'));
  return {
    name: 'SQLite',
    options: { dataDir },
    remove: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

export async function postgresBackend(): Promise<StorageBackend | null> {
  const url = process.env.TRUNKLINE_TEST_DATABASE_URL;
  if (!url) return null;
  const name = `bench_access_${process.pid}`;
  const onServer = async (text: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(text);
    await client.end();
  };
  await onServer(`create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    name: 'PostgreSQL',
    options: { databaseUrl: own.href },
    remove: () => onServer(`drop database ${name} with (force)`),
  };
}

/** One server's modules. Rate limits are off, because the benchmark sends more than any plan allows. */
export interface Node {
  readonly storage: Storage;
  readonly access: AccessService;
  readonly billing: BillingService;
  close(): Promise<void>;
}

const PLENTY = 1_000_000_000;

export async function openNode(place: StorageBackend, redisUrl: string | null = null): Promise<Node> {
  const storage = await openStorage(place.options);
  await storage.db.updateTable('plans').set({ rps: PLENTY, burst: PLENTY, concurrency: PLENTY }).execute();
  const billing = createBilling({
    storage,
    clock: systemClock,
    background: new BackgroundTasks({ clock: systemClock }),
  });
  const access = await createAccess({
    sealer: DEPLOYMENT_SEALER,
    storage,
    billing,
    clock: systemClock,
    background: new BackgroundTasks({ clock: systemClock }),
    redisUrl,
    networkRate: { rps: PLENTY, burst: PLENTY },
  });
  return {
    storage,
    access,
    billing,
    close: async () => {
      access.close();
      await storage.close();
    },
  };
}

export async function makeKey({ storage, access }: Node): Promise<IssuedKey> {
  return await storage.transaction(async (transaction) => {
    const { organization, project } = await access.accounts.makeOrganization(transaction, {
      name: 'Bench',
      kind: 'account',
      referral: null,
    });
    return await access.keys.createIn(transaction, {
      orgId: organization.id,
      projectId: project.id,
      name: 'bench',
      environment: 'live',
      scopes: ['hear:*'],
      budgetMicros: null,
      expiresAt: null,
      createdBy: null,
    });
  });
}

export const presenting = (text: string): RequestCredentials => ({
  authorization: `Bearer ${text}`,
  apiKeyHeader: undefined,
  apiKeyQuery: undefined,
  protocols: [],
  cookie: undefined,
  origin: undefined,
  host: undefined,
  remoteAddress: '203.0.113.7',
});

export const eventOf = (key: IssuedKey): UsageEvent => ({
  id: newId('use'),
  use: 'hear.stream',
  orgId: key.orgId,
  projectId: key.projectId,
  keyId: key.id,
  environment: 'live',
  milliseconds: 1234,
  count: 0,
  resource: 'bench',
  occurredAt: Date.now(),
});
