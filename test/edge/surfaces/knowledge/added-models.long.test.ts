// @requirement Knowledge: An added embedding model serves after it was selected, and documents keep the vectors of their model until they are embedded anew.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { AddedModels } from '../../../../src/speech/added-models/index.ts';
import { outputOf } from '../../../apps/cli/output-of.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { until } from '../../../poll.ts';
import { embeddingModel } from '../../../speech/added-models/embedding-model.ts';
import { absent as absentVoices } from '../../../speech/added-models/piper-voice.ts';
import { absent, type Knowledge, openKnowledge } from './server.ts';

const data = mkdtempSync(join(tmpdir(), 'trunkline-added-'));
const added = new AddedModels(data);
const isAbsent = absent !== '' || absentVoices !== undefined;

const PARKING = 'Whoever comes by automobile finds ten spaces free of charge behind the house.';
const SOUP = 'Our kitchen cooks its soup fresh every day.';
const PETS = 'Dogs and other pets have to wait outside.';
const PARKED = 'where may I leave my car';
const DOG = 'may I bring my puppy';

beforeAll(async () => {
  if (isAbsent) return;
  const source = await embeddingModel(join(data, 'wide'), 'wide');
  const environment = { TRUNKLINE_DATA: data, TRUNKLINE_LOG_LEVEL: 'silent' };
  const { code, error } = await outputOf(['models', 'add', source, '--yes'], environment);
  if (code !== 0) throw new Error(error);
}, 120_000);
afterAll(() => rmSync(data, { recursive: true, force: true }));

const indexed = async ({ storage }: Knowledge) => {
  const documents = await acrossTenants(storage.db)
    .selectFrom('knowledge_documents')
    .select(['title', 'vector_model'])
    .orderBy('title')
    .execute();
  const chunks = await acrossTenants(storage.db).selectFrom('knowledge_chunks').select('vector').execute();
  return {
    models: documents.map(({ vector_model: model }) => model),
    sizes: chunks.map(({ vector }) => vector?.length).sort(),
  };
};

it.skipIf(isAbsent)(
  'embeds by the model that the operator selects, while the others are searched by theirs',
  async () => {
    const knowledge = await openKnowledge({ data });
    const base = await knowledge.base();
    const first = async (query: string) => (await knowledge.query(base, query))[0]?.text;
    await knowledge.text(base, 'a', PARKING);
    await knowledge.text(base, 'b', SOUP);
    expect(await first(PARKED)).toBe(PARKING);

    added.useEmbedder('en', 'wide');
    const wide = added.find('wide')?.folder ?? '';
    expect(wide).toMatch(/^wide\/[0-9a-f]{12}$/);
    expect(await first(PARKED)).toBe(PARKING);
    await knowledge.text(base, 'c', PETS);
    expect(await indexed(knowledge)).toEqual({
      models: ['minilm-l6', 'minilm-l6', wide],
      sizes: [384, 384, 768],
    });
    await until(async () => (await first(DOG)) === PETS);
    expect(await first(PARKED)).toBe(PARKING);

    const { signal } = new AbortController();
    expect(await knowledge.service.vectorRenewal.run(signal)).toBe(true);
    expect(await indexed(knowledge)).toEqual({ models: [wide, wide, wide], sizes: [768, 768, 768] });
    expect(await first(PARKED)).toBe(PARKING);
    expect(await first(DOG)).toBe(PETS);
    expect(knowledge.faults).toEqual([]);
  },
  60_000,
);

it.skipIf(isAbsent)(
  'embeds the documents anew once the operator selects another model or removes it',
  async () => {
    const clock = new ManualClock();
    const knowledge = await openKnowledge({ data });
    const base = await knowledge.base();
    added.useEmbedder('en', null);
    await knowledge.text(base, 'a', PARKING);
    const vectorRenewal = knowledge.renewalBy(clock);
    try {
      await until(() => clock.timers > 0);
      expect((await indexed(knowledge)).models).toEqual(['minilm-l6']);
      for (const [change, model] of [
        [() => added.useEmbedder('en', 'wide'), added.find('wide')?.folder],
        [() => added.remove('wide'), 'minilm-l6'],
      ] as const) {
        change();
        await until(() => clock.timers > 0);
        clock.advance(30_000);
        await until(async () => (await indexed(knowledge)).models[0] === model);
      }
      expect((await knowledge.query(base, PARKED))[0]?.text).toBe(PARKING);
      expect(knowledge.faults).toEqual([]);
    } finally {
      await vectorRenewal.stop();
    }
  },
  60_000,
);
