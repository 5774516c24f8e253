// @requirement Knowledge: Terms match by their sound.
import { describe, expect, it } from 'vitest';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { migratedDatabase } from '../../../foundation/storage/databases.ts';
import { openKnowledge, spoken } from './server.ts';

const MANUAL = `Kubernetes takes an hour to roll out, and Schroedinbug is a fault that shows once somebody reads the source.

The elevator takes a minute to the roof. The cooper mends barrels for an hour.`;

const dialects = process.env.TRUNKLINE_TEST_DATABASE_URL
  ? (['sqlite', 'postgres'] as const)
  : (['sqlite'] as const);

const words = spoken();
if (words === null && process.env.CI === 'true') throw new Error('absent: espeak-ng or minilm-l6');
words?.close();

async function open(dialect: 'sqlite' | 'postgres', sounding = true) {
  const said = spoken();
  const knowledge = await openKnowledge({
    database: (await migratedDatabase(dialect)).options,
    wordsAlone: true,
    ...(sounding && said !== null ? { spoken: said } : {}),
  });
  const base = await knowledge.base();
  const document = await knowledge.text(base, 'Manual', MANUAL);
  const scope = tenantScopeOf(knowledge.access.principal());
  const vocabulary = async (most = 50) =>
    await knowledge.service.vocabularyOf({ scope, bases: [base] }, most);
  const stored = async () =>
    await acrossTenants(knowledge.storage.db)
      .selectFrom('knowledge_terms')
      .select(['term', 'uses'])
      .orderBy('term')
      .execute();
  return { knowledge, base, document, vocabulary, stored };
}

describe.skipIf(words === null).each(dialects)('terms by their sound, on %s', (dialect) => {
  it('are found where recognition wrote other words', async () => {
    const { knowledge, base } = await open(dialect);
    const [found] = await knowledge.query(base, 'what is a schroding bud');
    expect(found?.text).toContain('Schroedinbug');
    const [other] = await knowledge.query(base, 'tell me about cooper netties');
    expect(other?.text).toContain('Kubernetes');
  });

  it('are not found by letters alone', async () => {
    const { knowledge, base } = await open(dialect, false);
    expect(await knowledge.query(base, 'what is a schroding bud')).toEqual([]);
  });

  it('are kept as the document writes them, and no common word is among them', async () => {
    const { stored, vocabulary } = await open(dialect);
    expect((await stored()).map(({ term, uses }) => [term, Number(uses)])).toEqual([
      ['Kubernetes', 1],
      ['Schroedinbug', 1],
    ]);
    expect((await vocabulary()).toSorted()).toEqual(['Kubernetes', 'Schroedinbug']);
    expect(await vocabulary(1)).toHaveLength(1);
  });

  it('change with the base and go with their document', async () => {
    const { knowledge, base, document, vocabulary, stored } = await open(dialect);
    await vocabulary();
    const more = await knowledge.text(base, 'More', 'Zyxomma flies at dusk. Zyxomma is rare.');
    expect((await vocabulary(1))[0]).toBe('Zyxomma');
    for (const { id } of [document, more]) await knowledge.send('DELETE', `/${base}/documents/${id}`);
    expect(await stored()).toEqual([]);
    expect(await vocabulary()).toEqual([]);
    expect(await knowledge.query(base, 'what is a schroding bud')).toEqual([]);
  });

  it('leave a question as it is that holds them, or that is longer than anybody asks', async () => {
    const { knowledge, base } = await open(dialect);
    const [found] = await knowledge.query(base, 'how long does Kubernetes take');
    expect(found?.text).toContain('Kubernetes');
    const long = Array.from({ length: 400 }, () => 'schroding bud').join(' ');
    expect((await knowledge.send('POST', `/${base}/query`, { query: long.slice(0, 1_000) })).status).toBe(
      200,
    );
  });
});
