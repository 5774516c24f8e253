import { expect, it } from 'vitest';
import { hasDatabase, openStorage } from '../../../src/foundation/storage/index.ts';
import { onBothDatabases } from './databases.ts';

onBothDatabases('a database that may have served', ({ empty }) => {
  it('is told from an empty one, which stays empty', async () => {
    const { options } = await empty();
    expect(await hasDatabase(options)).toBe(false);
    expect(await hasDatabase(options)).toBe(false);
    await (await openStorage(options)).close();
    expect(await hasDatabase(options)).toBe(true);
  });
});

it('is not taken for absent where its server does not answer', async () => {
  await expect(hasDatabase({ databaseUrl: 'postgres://127.0.0.1:1/trunkline' })).rejects.toThrow(
    'ECONNREFUSED',
  );
});
