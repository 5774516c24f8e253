import { expect, it } from 'vitest';
import { openStorage, withinTenant } from '../../../src/foundation/storage/index.ts';
import type { DubStep } from '../../../src/products/dub/run/step.ts';
import { divided, translate } from '../../../src/products/dub/run/translate.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';

const SCOPE = scopeFor('org_a');
type Line = readonly [speaker: string, startMs: number, endMs: number, text: string, translation?: string];

async function translated(source: string, said: readonly Line[], answers: Readonly<Record<string, string>>) {
  const storage = await openStorage({ dataDir: ':memory:' });
  const job = { ...SEEDS.dub_jobs('x', 1), source };
  await withinTenant(storage.db, SCOPE).insertInto('dub_jobs', job).execute();
  for (const [number, [speaker, start_ms, end_ms, text, translation = null]] of said.entries()) {
    const segment = { ...SEEDS.dub_segments('x', 1), job_id: job.id, number, speaker, start_ms, end_ms };
    await withinTenant(storage.db, SCOPE)
      .insertInto('dub_segments', { ...segment, text, text_edited: 0, translation, translated_by: null })
      .execute();
  }
  const row = await withinTenant(storage.db, SCOPE)
    .selectFrom('dub_jobs')
    .selectAll()
    .executeTakeFirstOrThrow();
  const asked: [text: string, before: string][] = [];
  const translator = {
    name: 'model',
    reads: 'text',
    translate: async (_offer: unknown, { text, before }: { text: string; before: string }) => {
      asked.push([text, before]);
      return answers[text] ?? `(${text})`;
    },
  };
  await translate({
    deps: {
      storage,
      directions: { routesOf: async () => [{ translator, offer: {} }], doubt: () => undefined },
    },
    row,
    scope: SCOPE,
    signal: new AbortController().signal,
    job: { checkpoint: (_: number, task: never) => storage.transaction(task) },
  } as never as DubStep);
  const segments = await withinTenant(storage.db, SCOPE)
    .selectFrom('dub_segments')
    .select(['translation', 'translated_by'])
    .orderBy('number')
    .execute();
  await storage.close();
  return { asked, translations: segments.map(({ translation }) => translation) };
}

it('asks for a sentence as one that goes on with another speaker, and gives each their part', async () => {
  const { asked, translations } = await translated(
    'es',
    [
      ['speaker_1', 0, 900, 'Buenos días.'],
      ['speaker_1', 1000, 1900, 'El número'],
      ['speaker_2', 1950, 3900, 'que usted ha marcado no existe.'],
      ['speaker_1', 4000, 5000, 'Adiós.'],
    ],
    { 'El número que usted ha marcado no existe.': 'The number that you have dialed does not exist.' },
  );
  expect(asked).toEqual([
    ['Buenos días.', ''],
    ['El número que usted ha marcado no existe.', 'Buenos días.'],
    ['Adiós.', 'El número que usted ha marcado no existe.'],
  ]);
  expect(translations).toEqual([
    '(Buenos días.)',
    'The number',
    'that you have dialed does not exist.',
    '(Adiós.)',
  ]);
});

it.each<[string, string, readonly Line[]]>([
  [
    'the first ends with a full stop',
    'es',
    [
      ['speaker_1', 0, 900, 'Sí.'],
      ['speaker_2', 950, 1900, 'claro que sí.'],
    ],
  ],
  [
    'the second begins anew',
    'es',
    [
      ['speaker_1', 0, 900, 'Yo creo'],
      ['speaker_2', 950, 1900, 'Perdone.'],
    ],
  ],
  [
    'there is a pause between',
    'es',
    [
      ['speaker_1', 0, 900, 'Yo creo'],
      ['speaker_2', 1950, 2900, 'que sí.'],
    ],
  ],
  [
    'one speaker says both',
    'es',
    [
      ['speaker_1', 0, 900, 'Yo creo'],
      ['speaker_1', 950, 1900, 'que sí.'],
    ],
  ],
])('asks for each by itself where %s', async (_why, source, said) => {
  const { asked } = await translated(source, said, {});
  expect(asked.map(([text]) => text)).toEqual(said.map(([, , , text]) => text));
});

it('takes a noun of German for no beginning', async () => {
  const { asked } = await translated(
    'de',
    [
      ['speaker_1', 0, 900, 'Die gewählte'],
      ['speaker_2', 950, 1900, 'Nummer ist nicht vergeben.'],
    ],
    {},
  );
  expect(asked).toEqual([['Die gewählte Nummer ist nicht vergeben.', '']]);
});

it('leaves what is translated, and asks for the rest by itself', async () => {
  const { asked, translations } = await translated(
    'es',
    [
      ['speaker_1', 0, 900, 'El número', 'Our number'],
      ['speaker_2', 950, 1900, 'que usted ha marcado.'],
    ],
    {},
  );
  expect(asked).toEqual([['que usted ha marcado.', 'El número']]);
  expect(translations).toEqual(['Our number', '(que usted ha marcado.)']);
});

it('asks for each by itself where the translation of the whole has fewer words than speakers', async () => {
  const { translations } = await translated(
    'es',
    [
      ['speaker_1', 0, 900, 'De'],
      ['speaker_2', 950, 1900, 'acuerdo.'],
    ],
    { 'De acuerdo.': 'Agreed.' },
  );
  expect(translations).toEqual(['(De)', '(acuerdo.)']);
});

it('divides a text by whole words, in proportion, and gives each part one', () => {
  expect(divided('one two three four', [9, 9])).toEqual(['one two', 'three four']);
  expect(divided('one two three', [1, 100, 1])).toEqual(['one', 'two', 'three']);
  expect(divided('one two three', [100, 1, 1])).toEqual(['one', 'two', 'three']);
  expect(divided('one two', [1, 1, 1])).toBeNull();
});
