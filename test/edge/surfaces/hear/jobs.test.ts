// @requirement Events: A finished or failed job is delivered as `transcription.job.completed` or `transcription.job.failed`.
// @requirement Limits: The vocabulary of a job has at most five terms.
// @requirement Hear: Transcription jobs take a URL or an upload, list by cursor and keep their result.
import { expect, it } from 'vitest';
import { PermanentError } from '../../../../src/foundation/jobs/index.ts';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { pollDelay } from '../../../poll.ts';
import { wavOf } from '../../../speech/transcription/signal-audio.ts';
import { stage } from '../../../speech/transcription/stage.ts';

const usage = (storage: Awaited<ReturnType<typeof stage>>['storage']) =>
  storage.db.selectFrom('usage_events').select(['id', 'meter', 'milliseconds', 'resource']).execute();

onBothDatabases('transcription jobs', ({ open, after }) => {
  const setup = async (more = {}) => stage({ storage: await open(), after, ...more });

  it('transcribes what a URL leads to, bills it and tells the receiver', async () => {
    const { post, ended, submitted, receiver, hook, storage, serve } = await setup();
    const audio_url = `${await serve(wavOf(3))}?token=${'a'.repeat(7_500)}`;
    const body = { audio_url, webhook_url: hook, output_formats: ['json', 'text', 'srt', 'vtt'] };
    const job = await submitted(await post(body, { 'idempotency-key': 'k-1' }));
    expect(job).toMatchObject({
      object: 'transcription.job',
      status: 'queued',
      text: null,
      words: [],
      outputs: {},
    });
    expect(job.id).toMatch(/^job_[A-Za-z0-9]{20}$/);
    const done = await ended(job.id);
    expect(done).toMatchObject({
      status: 'completed',
      progress: 1,
      duration_s: 15,
      text: 'line 0 line 1 line 2',
      segments: [
        { speaker: null, channel: null, start: 0.5, end: 4.5, text: 'line 0' },
        { start: 5.5, end: 9.5, text: 'line 1' },
        { start: 10.5, end: 14.5, text: 'line 2' },
      ],
      outputs: {
        text: 'line 0 line 1 line 2',
        srt: '1\n00:00:00,500 --> 00:00:04,500\nline 0\n\n2\n00:00:05,500 --> 00:00:09,500\nline 1\n\n3\n00:00:10,500 --> 00:00:14,500\nline 2\n',
        vtt: 'WEBVTT\n\n00:00:00.500 --> 00:00:04.500\nline 0\n\n00:00:05.500 --> 00:00:09.500\nline 1\n\n00:00:10.500 --> 00:00:14.500\nline 2\n',
      },
    });
    expect(done.words.slice(0, 2)).toEqual([
      { word: 'line', start: 0.5, end: 2.5 },
      { word: '0', start: 2.5, end: 4.5 },
    ]);
    expect(done).not.toHaveProperty('language');
    expect(done.outputs.json?.text).toBe(done.text);
    expect(await usage(storage)).toEqual([
      { id: `use_${job.id}`, meter: 'hear_async', milliseconds: 15_000, resource: job.id },
    ]);
    await receiver.count(1);
    const event = JSON.parse(receiver.received[0]!.body);
    expect(event).toMatchObject({
      type: 'transcription.job.completed',
      data: { id: job.id, status: 'completed', duration_s: 15, idempotency_key: 'k-1' },
    });
    for (const left of ['text', 'words', 'segments', 'outputs']) expect(event.data).not.toHaveProperty(left);
    expect(receiver.received[0]!.headers).toMatchObject({
      'x-svc-event-id': event.id,
      'idempotency-key': 'k-1',
    });
  });

  it('takes an upload, and its fields as a form', async () => {
    const { upload, ended, submitted, recognizer } = await setup();
    const fields = { vocabulary: '["Zürich  Re", "AT&T\\u0001"]', output_formats: 'text', numerals: 'words' };
    const job = await submitted(await upload(wavOf(1), fields));
    const done = await ended(job.id);
    expect(done).toMatchObject({ status: 'completed', text: 'line zero', outputs: { text: 'line zero' } });
    expect(done.words.map(({ word }) => word)).toEqual(['line', 'zero']);
    expect(done.outputs).not.toHaveProperty('json');
    expect(recognizer.vocabularies[0]).toEqual(['Zürich Re', 'AT&T']);
  });

  it('says in words why a job failed, tells the receiver, and bills nothing', async () => {
    const { post, ended, submitted, receiver, hook, storage, serve } = await setup();
    const cases: [string, RegExp][] = [
      [await serve(wavOf(1), 404), /^The audio URL responded with status 404\.$/],
      [await serve(Buffer.from('this is no audio at all, not even a little')), /not audio/],
    ];
    for (const [audio_url, error] of cases) {
      const job = await submitted(await post({ audio_url, webhook_url: hook }));
      const failed = await ended(job.id);
      expect(failed).toMatchObject({ status: 'failed', error: expect.stringMatching(error), text: null });
    }
    await receiver.count(2);
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(
      new Array(2).fill('transcription.job.failed'),
    );
    expect(await usage(storage)).toEqual([]);
  });

  it('bills nothing for a file in which nobody speaks', async () => {
    const { upload, ended, submitted, storage } = await setup({ script: () => ({ text: '' }) });
    const job = await submitted(await upload(wavOf(1)));
    expect(await ended(job.id)).toMatchObject({ status: 'completed', text: '', segments: [], words: [] });
    expect(await usage(storage)).toEqual([]);
  });

  it('refuses what it can’t do, and says where', async () => {
    const { post, upload, access } = await setup();
    const audio_url = 'https://audio.trunkline-test.com/a.wav';
    const refusals: [unknown, number, string, string | null][] = [
      [{}, 400, 'invalid_request', 'audio_url'],
      [{ audio_url: 'http://10.0.0.1/a.wav' }, 400, 'invalid_request', 'audio_url'],
      [{ audio_url, webhook_url: 'ftp://x.com/' }, 400, 'invalid_request', 'webhook_url'],
      [{ audio_url, output_formats: ['docx'] }, 400, 'invalid_request', 'output_formats.0'],
      [{ audio_url, vocabulary: ['a', 'b', 'c', 'd', 'e', 'f'] }, 400, 'invalid_request', 'vocabulary'],
      [{ audio_url, vocabulary: ['???'] }, 400, 'invalid_request', 'vocabulary.0'],
      [{ audio_url, language: 'it' }, 400, 'unsupported_language', 'language'],
      [{ audio_url, trace: true, diarize: true }, 400, 'trace_not_combinable', 'diarize'],
      [{ audio_url, trace: true, channel: true }, 400, 'trace_not_combinable', 'channel'],
      [{ audio_url, speakers: 2 }, 400, 'invalid_request', 'speakers'],
      [{ audio_url, diarize: true, speakers: 21 }, 400, 'invalid_request', 'speakers'],
      [{ audio_url, rule_pack: { entities: ['SSN'] } }, 400, 'invalid_request', 'rule_pack'],
      [
        { audio_url, trace: true, rule_pack: { entities: ['HEIGHT'] } },
        400,
        'invalid_request',
        'rule_pack.entities.0',
      ],
      [{ audio_url, model: 'svc-speak' }, 400, 'unsupported_model', 'model'],
      [{ audio_url, numerals: 'roman' }, 400, 'invalid_request', 'numerals'],
      [{ audio_url, dairize: true }, 400, 'invalid_request', 'dairize'],
    ];
    for (const [body, status, code, param] of refusals) {
      const response = await post(body);
      const { error } = (await response.json()) as { error: { code: string; param: string } };
      expect([response.status, error.code, error.param], JSON.stringify(body)).toEqual([status, code, param]);
    }
    access.entitlements = [];
    const denied = await post({ audio_url, trace: true });
    expect([denied.status, await denied.json()]).toMatchObject([
      403,
      { error: { code: 'trace_not_entitled' } },
    ]);
    const noAudio = await upload(Buffer.from('not audio'.repeat(100)));
    expect([noAudio.status, await noAudio.json()]).toMatchObject([400, { error: { code: 'invalid_audio' } }]);
    access.jobUpload = { bytes: 50_000_000, seconds: 9 };
    const long = await upload(wavOf(2));
    expect([long.status, await long.json()]).toMatchObject([413, { error: { code: 'payload_too_large' } }]);
    access.jobUpload = { bytes: 1000, seconds: 900 };
    expect((await upload(wavOf(2))).status).toBe(413);
  });

  it('leaves no bytes behind a refused upload', async () => {
    const { upload, blobs } = await setup();
    await upload(wavOf(1), { trace: 'true', diarize: 'true' });
    const owners: string[] = [];
    for await (const owner of blobs.owners('jobs')) owners.push(owner);
    expect(owners).toEqual([]);
  });

  it('replays an Idempotency-Key, refuses it for another body, and ignores it on a form', async () => {
    const { post, upload, storage, submitted, serve } = await setup({ concurrency: 1 });
    const audio_url = await serve(wavOf(1));
    const key = { 'idempotency-key': 'once' };
    const answers = await Promise.all([1, 2, 3, 4].map(() => post({ audio_url, diarize: false }, key)));
    const jobs = await Promise.all(answers.map(submitted));
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(1);
    const reordered = await submitted(await post({ diarize: false, audio_url }, key));
    expect(reordered).toEqual(jobs[0]);
    const conflict = await post({ audio_url, diarize: true }, key);
    expect([conflict.status, await conflict.json()]).toMatchObject([
      409,
      { error: { code: 'idempotency_conflict' } },
    ]);
    expect((await post({ audio_url }, { 'idempotency-key': 'x'.repeat(256) })).status).toBe(400);
    const forms = [await upload(wavOf(1), {}, key), await upload(wavOf(1), {}, key)];
    expect(new Set((await Promise.all(forms.map(submitted))).map(({ id }) => id)).size).toBe(2);
    const rows = await acrossTenants(storage.db).selectFrom('transcription_jobs').select('id').execute();
    expect(rows.length).toBe(3);
  });

  it('lists in pages, newest first, and shows another organization nothing', async () => {
    const { upload, get, submitted, access, ended, remove, storage } = await setup();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await submitted(await upload(wavOf(1)))).id);
    await Promise.all(ids.map(ended));
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await get(`/v1/transcription/jobs?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      const page = body as { data: { id: string; created_at: number }[]; next_cursor: string | null };
      expect(page.data.length).toBeLessThanOrEqual(2);
      expect(page.data[0]).not.toHaveProperty('text');
      found.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect([...found].sort()).toEqual([...ids].sort());
    await acrossTenants(storage.db)
      .updateTable('transcription_jobs')
      .set({ status: 'failed' })
      .where('id', '=', ids[3]!)
      .execute();
    const listed = async (status: string) => {
      const { body } = await get(`/v1/transcription/jobs?status=${status}`);
      return (body as { data: { id: string }[] }).data.map(({ id }) => id);
    };
    expect([await listed('failed'), await listed('queued')]).toEqual([[ids[3]], []]);
    expect((await listed('completed')).length).toBe(4);
    expect((await get('/v1/transcription/jobs?status=done')).body).toMatchObject({
      error: { param: 'status' },
    });
    access.orgId = 'org_11111111111111111111';
    expect((await get('/v1/transcription/jobs')).body).toMatchObject({ data: [] });
    /** The answer without its own id and the id that it repeats. */
    const refused = async (id: string) => {
      const { status, body } = await get(`/v1/transcription/jobs/${id}`);
      return [
        status,
        JSON.parse(JSON.stringify({ ...(body as object), request_id: null }).replaceAll(id, '')),
      ];
    };
    const theirs = await refused(ids[0]!);
    expect(theirs[0]).toBe(404);
    expect(theirs).toEqual(await refused('job_00000000000000000000'));
    expect((await remove(ids[0]!)).status).toBe(404);
  });

  it('removes a job that runs: it stores nothing more, its audio is gone', async () => {
    const { upload, submitted, remove, get, recognizer, blobs, storage } = await setup();
    const reached = new Promise<void>((resolve) => {
      recognizer.before = (line, signal) => {
        if (line < 1) return;
        resolve();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      };
    });
    const job = await submitted(await upload(wavOf(3)));
    await reached;
    expect(await (await remove(job.id)).json()).toEqual({
      id: job.id,
      object: 'transcription.job',
      deleted: true,
    });
    expect((await get(`/v1/transcription/jobs/${job.id}`)).status).toBe(404);
    expect(await blobs.list('jobs', job.id)).toEqual([]);
    while ((await storage.db.selectFrom('jobs').select('id').execute()).length > 0) await pollDelay();
    expect(await usage(storage)).toEqual([]);
    expect(
      await acrossTenants(storage.db).selectFrom('transcription_segments').select('job_id').execute(),
    ).toEqual([]);
  });

  it('stores only redacted text, and says what it found', async () => {
    const lines = [
      'my card is four one one one',
      'one one one one',
      'one one one one',
      'one one one one thanks',
      'and now something long enough that nothing before it can be changed by what is said here',
      'mail me at jane.doe@example.com',
    ];
    const { upload, ended, submitted, storage, recognizer } = await setup({
      script: (line: number) => ({ text: lines[line] as string }),
    });
    const seen: string[] = [];
    recognizer.before = async () => {
      seen.push(
        JSON.stringify(
          await acrossTenants(storage.db).selectFrom('transcription_segments').selectAll().execute(),
        ),
      );
    };
    const fields = { trace: 'true', output_formats: '["json","text","srt","vtt"]' };
    const done = await ended((await submitted(await upload(wavOf(lines.length), fields))).id);
    expect(done).toMatchObject({ status: 'completed', trace: { verdict: 'pii_found', pii_count: 2 } });
    expect(done.text).toBe(
      `my card is [REDACTED_CARD] [REDACTED_CARD] [REDACTED_CARD] [REDACTED_CARD] thanks ${lines[4]} mail me at [REDACTED_EMAIL]`,
    );
    for (const text of [...seen, JSON.stringify(done)])
      expect(text).not.toMatch(/one one|four one|jane\.doe/);
    expect(done.words.filter(({ word }) => word.includes('REDACTED')).length).toBe(5);
    const narrow = { ...fields, rule_pack: '{"entities":["EMAIL"]}' };
    const second = await ended((await submitted(await upload(wavOf(lines.length), narrow))).id);
    expect(second).toMatchObject({
      trace: { pii_count: 1 },
      text: expect.stringMatching(/four one one one/),
    });
  });

  it('tells channels and speakers apart', async () => {
    const { upload, ended, submitted } = await setup({
      script: (line: number) => ({ text: `line ${line}`, speaker: [2, 7, 7, 2][line % 4] as number }),
    });
    const stereo = await ended((await submitted(await upload(wavOf(4, 2), { channel: 'true' }))).id);
    expect(stereo.segments.map(({ channel, speaker, text }) => [channel, speaker, text])).toEqual([
      [0, null, 'line 0'],
      [1, null, 'line 1'],
      [0, null, 'line 2'],
      [1, null, 'line 3'],
    ]);
    const named = await ended(
      (await submitted(await upload(wavOf(5), { diarize: 'true', output_formats: 'vtt' }))).id,
    );
    expect(named.segments.map(({ speaker, text }) => [speaker, text])).toEqual([
      ['speaker_1', 'line 0'],
      ['speaker_2', 'line 1 line 2'],
      ['speaker_1', 'line 3 line 4'],
    ]);
    expect(named.outputs.vtt).toContain('<v speaker_2>line 1 line 2');
  });

  it('takes the two channels of a call, and says so of a file that has more', async () => {
    const { upload, post, serve, ended, submitted } = await setup();
    const three = wavOf(3);
    three.writeUInt16LE(3, 22);
    three.writeUInt32LE(three.readUInt32LE(28) * 3, 28);
    three.writeUInt16LE(6, 32);
    const refused = await upload(three, { channel: 'true' });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { code: 'invalid_audio', message: 'The file has 3 channels: expected at most 2.' } },
    ]);
    const job = await submitted(await post({ audio_url: await serve(three), channel: true }));
    expect(await ended(job.id)).toMatchObject({
      status: 'failed',
      error: 'The file has 3 channels: expected at most 2.',
    });
    expect((await upload(three, { model: 'svc-hear' })).status).toBe(201);
  });

  it('counts what is personal anew when a job that was given up is brought back', async () => {
    const lines = ['mail me at jane.doe@example.com', ...new Array(19).fill('and more of this and that')];
    const { upload, ended, submitted, recognizer, queue, storage } = await setup({
      script: (line: number) => ({ text: lines[line] as string }),
    });
    recognizer.before = (line) => {
      if (line === 18) throw new PermanentError('The disk is full.');
    };
    const job = await submitted(await upload(wavOf(20), { trace: 'true' }));
    expect(await ended(job.id)).toMatchObject({ status: 'failed', error: 'The disk is full.' });
    const found = await acrossTenants(storage.db)
      .selectFrom('transcription_jobs')
      .select('pii_count')
      .execute();
    expect(found).toEqual([{ pii_count: 1 }]);
    recognizer.before = () => {};
    expect(await queue.retry(job.id)).toBe(true);
    expect(await ended(job.id)).toMatchObject({ status: 'completed', trace: { pii_count: 1 } });
  });
});
