// @requirement Compliance cases: Thresholds, retries, parallelism, cost and retention are configured.
/** The frozen cost limit of a case holds for documents that are read concurrently. */
import { expect, it } from 'vitest';
import { PermanentError } from '../../../src/foundation/jobs/index.ts';
import type { PictureReader } from '../../../src/telephony/compliance/index.ts';
import { readRules } from '../../../src/telephony/compliance/registry/reading.ts';
import { Registry } from '../../../src/telephony/compliance/registry/registry.ts';
import { type Json, openTestbed, type Testbed } from '../../edge/surfaces/compliance/server.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const PAGE = 400;
const INDIA = {
  kind: 'new_number',
  country: 'IN',
  number_type: 'local',
  capabilities: ['voice'],
  use_case: 'Support',
};

const registryWith = (max_micros: number): Registry => {
  const { shared, countries } = readRules();
  const cost = { text_page_micros: 20, image_page_micros: PAGE, max_micros };
  return new Registry({
    countries,
    shared: {
      ...shared,
      processing: { ...shared.processing, cost, parallelism: 4, retry: { scan: 3, extract: 1 } },
    },
  });
};

const picture = (name: string): Buffer =>
  Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    Buffer.from(name),
    Buffer.from('\0\0\0\0IEND\xaeB`\x82', 'latin1'),
  ]);

const readerOf = (read: () => Promise<never[]>): PictureReader =>
  ({ version: 'of-a-test', read }) as unknown as PictureReader;

async function readAll(testbed: Testbed): Promise<Json> {
  const { id, document_requests } = await testbed.open(INDIA);
  await Promise.all(document_requests.map((asked: Json) => testbed.upload(id, asked.id, picture(asked.id))));
  return await testbed.settled(id);
}

const spent = (of: Json): number =>
  of.extractions.reduce((all: number, { cost_micros }: Json) => all + cost_micros, 0);

onBothDatabases('the cost of a case', (databases) => {
  it('is passed by no papers together, however many are read at once', async () => {
    let tries = 0;
    const pictures = readerOf(async () => {
      tries += 1;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return [];
    });
    const { options: database } = await databases.empty();
    const testbed = await openTestbed({ database, pictures, registry: registryWith(2 * PAGE + 1) });
    const read = await readAll(testbed);
    expect(tries).toBe(2);
    expect(spent(read)).toBe(2 * PAGE);
    expect(read.extractions.map(({ failure_reason }: Json) => failure_reason).sort()).toEqual([
      'cost_exceeded',
      'cost_exceeded',
      'no_text',
      'no_text',
    ]);
  });

  it('gives back what was set aside for a paper that could not be read', async () => {
    let tries = 0;
    const pictures = readerOf(async () => {
      tries += 1;
      const mine = tries;
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (mine <= 3) throw new PermanentError('out of memory');
      return [];
    });
    const { options: database } = await databases.empty();
    const testbed = await openTestbed({ database, pictures, registry: registryWith(PAGE) });
    const read = await readAll(testbed);
    expect(tries).toBe(4);
    expect(spent(read)).toBe(PAGE);
    expect(read.extractions.map(({ failure_reason }: Json) => failure_reason).sort()).toEqual([
      'extraction_failed',
      'extraction_failed',
      'extraction_failed',
      'no_text',
    ]);
  });
});
