import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sealingFinding } from '../../../src/apps/cli/doctor-sealing.ts';
import { loadConfig } from '../../../src/foundation/platform/config/index.ts';
import { dataFolder } from '../../running-server.ts';

it('says what a further node on the same database needs', () => {
  const data = dataFolder();
  const finding = (settings: Record<string, string>) =>
    sealingFinding(loadConfig({ TRUNKLINE_DATA: data, ...settings }));
  const cluster = { TRUNKLINE_DATABASE_URL: 'postgres://db.internal/trunkline' };
  expect(finding(cluster)).toMatchObject({
    works: false,
    detail: expect.stringContaining('copy it from the first node of this database'),
  });
  writeFileSync(join(data, 'sealing.key'), '0'.repeat(64), { mode: 0o600 });
  expect(finding(cluster)).toMatchObject({
    works: true,
    detail: expect.stringContaining('every other node on this database needs a copy'),
  });
  expect(finding({})).toMatchObject({ works: true, detail: join(data, 'sealing.key') });
  const secret = { TRUNKLINE_KEY_SECRET: 'a secret of the operator, long enough' };
  expect(finding({ ...cluster, ...secret })).toMatchObject({ works: true, detail: 'TRUNKLINE_KEY_SECRET' });
});
