/** The same walk on PostgreSQL: both databases answer alike. */
import { afterAll, it } from 'vitest';
import { emptyDatabase } from '../storage/databases.ts';
import { walkContract } from './walk.ts';
import { World } from './world.ts';

if (process.env.TRUNKLINE_TEST_DATABASE_URL) {
  const database = await emptyDatabase('postgres');
  afterAll(() => database.remove());
  walkContract(
    await World.open({ settings: { TRUNKLINE_DATABASE_URL: String(database.options.databaseUrl) } }),
  );
} else if (process.env.CI === 'true') {
  it('walks the contract on PostgreSQL', () => {
    throw new Error('TRUNKLINE_TEST_DATABASE_URL is not set: CI must walk the contract on PostgreSQL.');
  });
} else {
  it.skip('walks the contract on PostgreSQL: skipped, TRUNKLINE_TEST_DATABASE_URL is not set', () =>
    undefined);
}
