// @requirement Dub: A dub goes from upload to download with captions, edits and billing.
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { itLong } from '../../../long-tests.ts';
import { wavOf } from '../../../speech/transcription/signal-audio.ts';
import { absent } from '../speak/server.ts';
import { Phrasebook, stage } from './server.ts';

const LINES = ['The house is very big.', 'We go there tomorrow.'];
const PHRASES = {
  'The house is very big.': 'La casa es muy grande.',
  'We go there tomorrow.': 'Vamos allí mañana.',
};
const script = (line: number) => ({ text: LINES[line % 2] as string });
const FIELDS = { source: 'en', target: 'es', voice: 'alex_es_es', format: 'wav' };

if (absent === undefined)
  onBothDatabases('dubs', ({ open, after }) => {
    const setup = async (more = {}) => {
      const translator = new Phrasebook('model', PHRASES);
      const storage = await open();
      return {
        translator,
        storage,
        ...(await stage({ storage, after, script, translators: [translator], ...more })),
      };
    };

    it('speaks a recording in another language, renders what is changed and forgets all of it', async () => {
      const { upload, ended, send, fetchFile, storage, blobs, recognizer } = await setup();
      const { status, body } = await upload(wavOf(2), { ...FIELDS, external_id: 'ada' });
      expect({ status, body }).toMatchObject({
        status: 201,
        body: { object: 'dub', status: 'queued', external_id: 'ada' },
      });
      const id = body.id;
      expect(id).toMatch(/^dub_[A-Za-z0-9]{20}$/);
      const done = await ended(id);
      expect(done).toMatchObject({
        status: 'done',
        progress: 1,
        duration_s: 10,
        video: false,
        revision: 1,
        error: null,
      });
      const segments = async () => (await send('GET', `/v1/dub/${id}/segments`)).body.data;
      const [first, second] = await segments();
      expect(first).toMatchObject({
        number: 0,
        start: 0.5,
        end: 4.5,
        text: LINES[0],
        translation: 'La casa es muy grande.',
        translated_by: 'model',
        spoken: { voice: 'alex_es_es', at_ms: 500, rate: 0.85, fit: 'short' },
      });
      const whole = await fetchFile(`/v1/dub/${id}/download`);
      expect(whole.headers.get('content-type')).toBe('audio/wav');
      const bytes = Buffer.from(await whole.arrayBuffer());
      expect(bytes.length).toBe(44 + 10 * 48_000 * 2);
      const part = await fetchFile(`/v1/dub/${id}/download`, { range: 'bytes=44-143' });
      expect(part.status).toBe(206);
      expect(part.headers.get('content-range')).toBe(`bytes 44-143/${bytes.length}`);
      expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(44, 144));
      expect((await fetchFile(`/v1/dub/${id}/download`, { range: `bytes=${bytes.length}-` })).status).toBe(
        416,
      );
      expect(await (await fetchFile(`/v1/dub/${id}/captions?language=en&format=srt`)).text()).toContain(
        '00:00:00,500 --> 00:00:04,500\nThe house is very big.',
      );
      expect(await (await fetchFile(`/v1/dub/${id}/captions`)).text()).toContain('Vamos allí mañana.');
      const usage = () =>
        storage.db.selectFrom('usage_events').select(['meter', 'milliseconds', 'resource']).execute();
      const spokenMs = first!.spoken.duration_ms;
      const spokenToo = second!.spoken.duration_ms;
      expect(await usage()).toEqual([
        { meter: 'hear_async', milliseconds: 10_000, resource: id },
        { meter: 'speak', milliseconds: spokenMs + spokenToo, resource: id },
      ]);
      const change = { segments: [{ number: 1, translation: 'Vamos hoy.' }] };
      const changed = await send('PATCH', `/v1/dub/${id}/segments`, change);
      expect(changed.body.data[1]).toMatchObject({ translated_by: 'you', spoken: null });
      expect((await send('POST', `/v1/dub/${id}/render`)).status).toBe(202);
      expect(await ended(id)).toMatchObject({ status: 'done', revision: 2 });
      const [same, other] = await segments();
      expect(same).toEqual(first);
      expect(other).toMatchObject({ translation: 'Vamos hoy.', spoken: { text: 'Vamos hoy.' } });
      const again = Buffer.from(await (await fetchFile(`/v1/dub/${id}/download`)).arrayBuffer());
      const upToSecond = 44 + 4 * 48_000 * 2;
      expect(again.subarray(44, upToSecond)).toEqual(bytes.subarray(44, upToSecond));
      expect(again.equals(bytes)).toBe(false);
      expect((await usage()).at(-1)).toMatchObject({
        meter: 'speak',
        milliseconds: other!.spoken.duration_ms,
      });
      // Language detection and recognition each run once; a render recognizes nothing.
      expect(recognizer.asked.map(({ language }) => language)).toEqual([null, 'en']);
      expect((await send('GET', '/v1/dub')).body).toMatchObject({ data: [{ id }], next_cursor: null });
      expect((await send('DELETE', `/v1/dub/${id}`)).body).toEqual({ id, object: 'dub', deleted: true });
      expect(await blobs.list('dub', id)).toEqual([]);
      for (const path of ['', '/segments', '/download', '/captions'])
        expect((await send('GET', `/v1/dub/${id}${path}`)).status).toBe(404);
    }, 120_000);

    itLong(
      'goes on at the segment where another worker stopped',
      async () => {
        const { upload, ended, until, service, openService, recognizer, translator, send, blobs } =
          await setup();
        const { body } = await upload(wavOf(2), FIELDS);
        const id = body.id;
        await until(id, (_, spoken) => spoken >= 1);
        await service.stop(0);
        const before = (await blobs.list('dub', id)).find(({ name }) => name === 'segment-0-r1');
        const next = openService();
        after(() => next.stop(0));
        await next.start();
        expect(await ended(id)).toMatchObject({ status: 'done', revision: 1 });
        expect(recognizer.asked.map(({ language }) => language)).toEqual([null, 'en']);
        expect(translator.asked).toEqual(LINES);
        expect((await blobs.list('dub', id)).find(({ name }) => name === 'segment-0-r1')).toEqual(before);
        expect((await send('GET', `/v1/dub/${id}`)).body).toMatchObject({ status: 'done' });
      },
      120_000,
    );

    // @requirement Dub: A translator that dies in the middle of a dub is replaced or reported.
    itLong(
      'asks another door where one dies in the middle, and keeps what is done where all do',
      async () => {
        const spare = new Phrasebook('apertium', PHRASES);
        const dying = new Phrasebook('model', PHRASES);
        const { upload, ended, send } = await setup({ translators: [dying, spare] });
        dying.before = (text) => {
          if (text === LINES[1]) throw new Error('it died');
        };
        spare.before = dying.before;
        const { body } = await upload(wavOf(2), { ...FIELDS, format: 'mp3' });
        const id = body.id;
        expect(await ended(id)).toMatchObject({ status: 'error', error: { code: 'translation_failed' } });
        expect((await send('GET', `/v1/dub/${id}/segments`)).body.data).toMatchObject([
          { translation: 'La casa es muy grande.', translated_by: 'model' },
          { translation: null },
        ]);
        expect((await send('GET', `/v1/dub/${id}/download`)).status).toBe(409);
        spare.before = () => {};
        expect((await send('POST', `/v1/dub/${id}/render`)).status).toBe(202);
        expect(await ended(id)).toMatchObject({
          status: 'done',
          revision: 1,
          output: { content_type: 'audio/mpeg' },
        });
        expect((await send('GET', `/v1/dub/${id}/segments`)).body.data).toMatchObject([
          { translated_by: 'model' },
          { translated_by: 'apertium' },
        ]);
        expect(dying.asked.filter((text) => text === LINES[0])).toHaveLength(1);
      },
      120_000,
    );

    it('says what is wrong with a recording, and bills nothing', async () => {
      const { upload, ended, storage } = await setup({ script: () => ({ text: '' }) });
      const silent = await upload(wavOf(1), FIELDS);
      expect(await ended(silent.body.id)).toMatchObject({
        status: 'error',
        error: { code: 'no_speech' },
      });
      const french = await setup({ script: () => ({ text: 'Bonjour tout le monde.', language: 'fr' }) });
      const wrong = await french.upload(wavOf(1), FIELDS);
      expect(await french.ended(wrong.body.id)).toMatchObject({
        status: 'error',
        error: {
          code: 'wrong_language',
          message: 'The language of the recording was detected as fr, but source is en.',
        },
      });
      expect(await storage.db.selectFrom('usage_events').selectAll().execute()).toEqual([]);
    }, 60_000);

    // @requirement Dub: `/healthz/dub` lists the directions, and any other is `unsupported_direction`.
    it('refuses what it cannot do', async () => {
      const { upload, send, access } = await setup();
      const cases: [Record<string, string>, number, string][] = [
        [{ target: 'fr' }, 422, 'unsupported_direction'],
        [{ target: 'zh' }, 422, 'unsupported_direction'],
        [{ target: 'xx' }, 400, 'invalid_request'],
        [{ voice: 'nobody' }, 404, 'voice_not_found'],
        [{ voice: 'heart_en_us' }, 404, 'voice_not_found'],
        [{ format: 'exe' }, 400, 'invalid_request'],
        [{ glossary: '{"a": ""}' }, 400, 'invalid_request'],
      ];
      for (const [more, status, code] of cases) {
        const answer = await upload(wavOf(1), { ...FIELDS, ...more });
        expect({ more, ...answer }).toMatchObject({ status, body: { error: { code } } });
      }
      const noAudio = await upload(Buffer.from('this is no recording'), FIELDS);
      expect(noAudio).toMatchObject({ status: 400, body: { error: { code: 'invalid_audio' } } });
      const inside = { ...FIELDS, audio_url: 'http://10.0.0.1/secret.wav' };
      expect((await send('POST', '/v1/dub', inside)).status).toBe(400);
      const { body } = await upload(wavOf(1), FIELDS);
      expect(await send('POST', `/v1/dub/${body.id}/render`)).toMatchObject({
        status: 409,
        body: { error: { code: 'dub_not_ready' } },
      });
      access.orgId = 'org_11111111111111111111';
      for (const path of ['', '/segments', '/download', '/captions'])
        expect((await send('GET', `/v1/dub/${body.id}${path}`)).status).toBe(404);
      expect((await send('DELETE', `/v1/dub/${body.id}`)).status).toBe(404);
      const health = (await send('GET', '/healthz/dub')).body;
      expect(health).toMatchObject({
        directions: [{ source: 'en', target: 'es', by: 'model', via: null, others: [] }],
      });
    }, 60_000);
  });
else it.skip(`dubs: ${absent}`, () => {});
