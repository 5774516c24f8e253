// @requirement Vendors' clients: OpenAI's npm and PyPI clients work unchanged.
// @requirement Fair use: A synchronous transcription counts as a live session.
// @requirement Hear: A transcription takes a file, a language and a format, and answers text with its model.
import { createReadStream, readFileSync } from 'node:fs';
import OpenAI, { toFile } from 'openai';
import { afterAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../../../src/foundation/access/contract.ts';
import {
  openService,
  bearer as presentedBy,
  type TestService,
} from '../../../foundation/access/access-service.ts';
import { itLong } from '../../../long-tests.ts';
import { invent, make, workFolder } from '../../../media/codec/recordings.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { nextJob, sendForm, startSlowUploads } from '../../server/fixtures/slow-uploads.ts';
import { bearer } from '../../server/fixtures/start.ts';
import { absent, type HearServer, openHear, plain, RECORDING, readPcm, SPOKEN } from './server.ts';

const folder = workFolder();
afterAll(() => folder.remove());

async function post(server: HearServer, path: string | Buffer, fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const bytes = typeof path === 'string' ? readFileSync(path) : path;
  form.append('file', new Blob([new Uint8Array(bytes)]), 'upload.bin');
  const response = await fetch(`${server.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: bearer,
    body: form,
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, body: type.includes('json') ? JSON.parse(text) : text };
}

describe.skipIf(absent)('POST /v1/audio/transcriptions', () => {
  it('works unchanged with the OpenAI client', async () => {
    const server = await openHear();
    const client = new OpenAI({ apiKey: OneKeyAccess.KEY, baseURL: `${server.url}/v1`, maxRetries: 0 });
    const brief = await client.audio.transcriptions.create({
      file: createReadStream(RECORDING),
      model: 'svc-hear',
      language: 'en',
    });
    expect(plain(brief.text)).toContain(SPOKEN);
    expect(brief).toMatchObject({ model: 'svc-hear' });
    const verbose = await client.audio.transcriptions.create({
      file: await toFile(readFileSync(RECORDING), 'speech.wav'),
      model: 'svc-hear',
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
      temperature: 0,
    });
    expect(plain(verbose.text)).toContain(SPOKEN);
    expect(verbose.duration).toBeCloseTo(9.655, 1);
    expect(verbose.words?.[0]).toMatchObject({
      word: expect.stringMatching(/^Printing/),
      start: expect.any(Number),
    });
    expect(verbose.segments?.map((segment) => segment.text).join(' ')).toBe(verbose.text);
    expect(Object.keys(verbose).sort()).toEqual(['duration', 'model', 'segments', 'task', 'text', 'words']);
    const text = await client.audio.transcriptions.create({
      file: createReadStream(RECORDING),
      model: 'svc-hear',
      response_format: 'text',
    });
    expect(plain(text as unknown as string)).toContain(SPOKEN);
    expect(await server.billed()).toEqual([9655, 9655, 9655]);
  });

  it('reads every format that the contract names, whatever the file is called', async () => {
    const server = await openHear();
    const files = [
      make(folder.path, 'a.mp3'),
      make(folder.path, 'a.m4a'),
      make(folder.path, 'a.flac'),
      make(folder.path, 'a.ogg'),
      make(folder.path, '8k.wav', '-ar', '8000'),
      make(folder.path, 'a.webm', '-c:a', 'libopus', '-live', '1'),
    ];
    for (const file of files) {
      const { status, body } = await post(server, file, { language: 'en' });
      expect([file, status]).toEqual([file, 200]);
      expect(plain(body.text)).toContain(SPOKEN);
    }
  });

  it('times words inside the recording, in order', async () => {
    const server = await openHear();
    const { body } = await post(server, RECORDING, { response_format: 'verbose_json', language: 'en' });
    let at = 0;
    for (const { word, start, end } of body.words) {
      expect(word.trim()).toBe(word);
      expect(start).toBeGreaterThanOrEqual(at);
      expect(end).toBeGreaterThan(start);
      at = end;
    }
    expect(at).toBeLessThanOrEqual(body.duration);
    expect(body.words.map((one: { word: string }) => one.word).join(' ')).toBe(body.text);
  });

  itLong(
    'transcribes a long file in windows that follow one another',
    async () => {
      const server = await openHear();
      const long = make(
        folder.path,
        'long.wav',
        '-filter_complex',
        '[0:a][0:a][0:a][0:a][0:a][0:a]concat=n=6:v=0:a=1',
      );
      const { body } = await post(server, long, { language: 'en', response_format: 'verbose_json' });
      expect(plain(body.text).split(SPOKEN), plain(body.text)).toHaveLength(7);
      expect(body.duration).toBeCloseTo(6 * 9.655, 0);
      expect(await server.billed()).toEqual([Math.round(body.duration * 1000)]);
    },
    120_000,
  );

  it('answers silence with an empty text and bills nothing', async () => {
    const server = await openHear();
    const silence = invent(folder.path, 'silence.wav', 'anullsrc=r=16000:cl=mono', '-t', '5');
    const { status, body } = await post(server, silence, { response_format: 'verbose_json' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ text: '', words: [], segments: [] });
    expect(await server.billed()).toEqual([]);
  });

  // @requirement Fair use: Decoding slots are shared fairly between tenants and uses, once an upload is whole.
  it('is served while more uploads than there are places in decoding come slowly', async () => {
    const server = await openHear();
    const silence = invent(folder.path, 'quiet.wav', 'anullsrc=r=16000:cl=mono', '-t', '5');
    const form = new FormData();
    form.append('file', new Blob([readFileSync(silence)]), 'slow.wav');
    const leave = await startSlowUploads(`${server.url}/v1/audio/transcriptions`, form, 3);
    expect((await post(server, silence)).status).toBe(200);
    await leave();
  });

  it('gives up, and bills nothing, when the client leaves while its recording is recognized', async () => {
    const server = await openHear();
    const form = new FormData();
    form.append('language', 'en');
    form.append('file', new Blob([readFileSync(RECORDING)]), 'speech.wav');
    const begun = nextJob('transcribe');
    const client = await sendForm(`${server.url}/v1/audio/transcriptions`, form);
    const job = await begun;
    await client.leave();
    await expect(job.done).rejects.toMatchObject({ message: 'The work was cancelled.' });
    await expect.poll(() => server.server.activeRequests()).toBe(0);
    expect(await server.billed()).toEqual([]);
  }, 120_000);

  it('is no live session of its key: it holds credit while it runs, and leaves sessions to calls', async () => {
    let service!: TestService;
    const server = await openHear({
      accessOf: async (storage) => {
        service = await openService(storage);
        return service.access;
      },
    });
    const { access, billing, organization, storage } = service;
    await storage.db.updateTable('plans').set({ concurrency: 1 }).execute();
    await billing.addCredit({ orgId: organization.orgId, amountMicros: 1_000_000 });
    const { text } = await service.makeKey();
    const principal = (await access.authorize(presentedBy(text), { kind: 'key' })).principal as Principal;
    const stream = () => access.admit(principal, 'hear.stream', { realtime: true });
    const form = new FormData();
    form.append('language', 'en');
    form.append('file', new Blob([readFileSync(RECORDING)]), 'speech.wav');
    const begun = nextJob('transcribe');
    const answer = fetch(`${server.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${text}` },
      body: form,
    });
    await begun;
    expect(access.metrics()).toMatchObject({ live_sessions: 0, holds: 1 });
    await (await stream()).release();
    expect((await answer).status).toBe(200);
    await expect.poll(() => access.metrics()).toMatchObject({ live_sessions: 0, holds: 0 });
    access.close();
  });

  it('takes a file of no length for silence', async () => {
    const server = await openHear();
    const empty = Buffer.from(readFileSync(RECORDING).subarray(0, 44));
    empty.writeUInt32LE(36, 4);
    empty.writeUInt32LE(0, 40);
    const { status, body } = await post(server, empty, { response_format: 'verbose_json' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ text: '', words: [], segments: [], duration: 0 });
    expect(await server.billed()).toEqual([]);
  });

  itLong(
    'refuses a file that is too long before it recognizes any of it',
    async () => {
      const server = await openHear();
      const filter = '[0:a]aloop=loop=-1:size=200000,atrim=duration=3610,aresample=8000[out]';
      const long = make(folder.path, 'too-long.wav', '-filter_complex', filter, '-map', '[out]');
      const before = server.engine.stats().pool.offline.done;
      const { status, body } = await post(server, long, { language: 'en' });
      expect([status, body.error.code]).toEqual([413, 'payload_too_large']);
      expect(server.engine.stats().pool.offline.done).toBe(before);
      expect(await server.billed()).toEqual([]);
    },
    60_000,
  );

  itLong(
    'uses temperature and seed',
    async () => {
      const server = await openHear();
      const short = make(folder.path, 'short.wav', '-t', '2.5');
      const hot = (seed: string) =>
        post(server, short, { language: 'en', temperature: '1.6', seed }).then(
          ({ body }) => body.text as string,
        );
      const first = await hot('1');
      expect(await hot('1')).toBe(first);
      const texts = [first, await hot('2'), await hot('3'), await hot('4')];
      expect(new Set(texts).size).toBeGreaterThan(1);
    },
    120_000,
  );

  it('says what is wrong with a request, and bills nothing for it', async () => {
    const server = await openHear();
    const { pcm } = readPcm(RECORDING);
    const cases: [Buffer | string, Record<string, string>, number, string, string | null][] = [
      [RECORDING, { language: 'zz' }, 400, 'unsupported_language', 'language'],
      [RECORDING, { language: 'EN' }, 400, 'unsupported_language', 'language'],
      [RECORDING, { model: 'tts-1' }, 400, 'unsupported_model', 'model'],
      [RECORDING, { model: 'svc-hear-9' }, 400, 'unsupported_model', 'model'],
      [RECORDING, { response_format: 'ass' }, 400, 'invalid_request', 'response_format'],
      [RECORDING, { seed: 'x' }, 400, 'invalid_request', 'seed'],
      [RECORDING, { temperature: '9' }, 400, 'invalid_request', 'temperature'],
      [RECORDING, { surprise: '1' }, 400, 'invalid_request', 'surprise'],
      [RECORDING, { model: 'svc-hear', surprise: '1' }, 400, 'invalid_request', 'surprise'],
      [Buffer.from('no audio at all'), {}, 400, 'invalid_audio', null],
      [pcm.subarray(0, 5000), {}, 400, 'invalid_audio', null],
      [Buffer.alloc(0), {}, 400, 'invalid_audio', null],
    ];
    for (const [file, fields, status, code, param] of cases) {
      const answer = await post(server, file, fields);
      const seen = [answer.status, answer.body.error?.code];
      expect([fields, ...seen]).toEqual([fields, status, code]);
      if (param !== null) expect(answer.body.error.param).toBe(param);
    }
    const missing = await fetch(`${server.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: bearer,
      body: new FormData(),
    });
    expect(missing.status).toBe(400);
    const text = new FormData();
    text.append('file', 'no file');
    const notFile = await fetch(`${server.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: bearer,
      body: text,
    });
    const { error } = (await notFile.json()) as { error: object };
    expect(error).toMatchObject({
      param: 'file',
      message: expect.stringContaining('must be sent as a file'),
    });
    expect(await server.billed()).toEqual([]);
    expect(server.access.admitted).toBe(server.access.released);
  });

  itLong('never says which language it heard', async () => {
    const server = await openHear();
    for (const response_format of ['json', 'verbose_json']) {
      const { body } = await post(server, RECORDING, { response_format });
      expect(JSON.stringify(Object.keys(body))).not.toMatch(/lang|conf|prob/);
    }
  });
});
