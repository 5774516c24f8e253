import { expect, it } from 'vitest';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { wavOf } from '../../../speech/transcription/signal-audio.ts';
import { stage } from '../../../speech/transcription/stage.ts';

onBothDatabases('languages of transcription jobs', ({ open, after }) => {
  const setup = async (more = {}) => stage({ storage: await open(), after, ...more });

  it('tells the language of a word at the beginning by what follows, and gives Dutch turns without words', async () => {
    const { upload, ended, submitted, recognizer } = await setup({
      script: (line: number) => ({
        text: `zin ${line}`,
        ...(line === 0 ? { language: 'de', brief: true } : { language: 'nl' }),
      }),
    });
    const done = await ended((await submitted(await upload(wavOf(30)))).id);
    expect(done.words).toEqual([]);
    expect(done.segments.length).toBe(30);
    expect(recognizer.asked).toEqual([
      { from: 0, language: null, expected: null },
      { from: 0, language: null, expected: 'nl' },
    ]);
  });

  it('keeps each utterance in its own language', async () => {
    const { upload, ended, submitted, storage } = await setup({
      script: (line: number) => ({ text: `page 2${line}`, language: line % 3 === 1 ? 'nl' : 'en' }),
    });
    const done = await ended((await submitted(await upload(wavOf(6), { numerals: 'words' }))).id);
    expect(done.segments.map(({ text }) => text)).toEqual([
      'page twenty',
      'page eenentwintig',
      'page twenty-two',
      'page twenty-three',
      'page vierentwintig',
      'page twenty-five',
    ]);
    expect(new Set(done.words.map(({ start }) => Math.floor(start / 5)))).toEqual(new Set([0, 2, 3, 5]));
    const rows = await acrossTenants(storage.db)
      .selectFrom('transcription_jobs')
      .select('language')
      .execute();
    expect(rows).toEqual([{ language: 'en' }]);
  });

  it('finds the language at the beginning and goes on with it', async () => {
    const { upload, ended, submitted, recognizer } = await setup({
      script: (line: number) => ({ text: `l${line}`, language: 'fr' }),
    });
    const done = await ended((await submitted(await upload(wavOf(40)))).id);
    expect(done.text).toBe(Array.from({ length: 40 }, (_, line) => `l${line}`).join(' '));
    expect(recognizer.asked).toEqual([
      { from: 0, language: null, expected: null },
      { from: 64.75, language: null, expected: 'fr' },
    ]);
  });
});
