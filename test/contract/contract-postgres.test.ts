// @requirement API contract: The contract holds on PostgreSQL as on SQLite.
/** The same walk runs on PostgreSQL in the long form (TRUNKLINE_TEST_CONTRACT=long): both databases answer alike. */
import { afterAll, it } from 'vitest';
import { migratedDatabase } from '../foundation/storage/databases.ts';
import { longForm } from '../long-tests.ts';
import { WHOLE } from './valid-requests.ts';
import { walkContract } from './walk-contract.ts';
import { World } from './world.ts';

if (WHOLE) {
  const database = await migratedDatabase('postgres');
  afterAll(() => database.remove());
  walkContract(
    await World.open({ settings: { TRUNKLINE_DATABASE_URL: String(database.options.databaseUrl) } }),
  );
} else {
  it.skip(longForm('walks the contract on PostgreSQL'), () => undefined);
}
