import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { absent } from '../media/codec/recordings.ts';
import { compileProgram, dataFolder } from '../running-server.ts';
import { Caller, endedJob, type Line, SHORT_RECORDING, samplesOf } from './client.ts';
import { type DiskError, FailingDisk } from './failing-disk.ts';
import { RealDisk } from './real-disk.ts';
import { ServerProcess } from './server-process.ts';
import { isLong } from './suite-length.ts';

let failing: FailingDisk;
beforeAll(async () => {
  await compileProgram();
  failing = new FailingDisk();
}, 120_000);
afterAll(() => failing.remove());

const signup = (served: ServerProcess, name: string) =>
  fetch(`${served.url}/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${name}@example.com`, password: 'a password of some length' }),
  });

function billed(data: string): Record<string, number> {
  const database = new BetterSqlite(join(data, 'trunkline.db'), { readonly: true });
  const rows = database
    .prepare('select meter, sum(milliseconds) as milliseconds from usage_events group by meter')
    .all() as { meter: string; milliseconds: number }[];
  database.close();
  return Object.fromEntries(rows.map(({ meter, milliseconds }) => [meter, milliseconds]));
}

const readyz = async (served: ServerProcess) => {
  const response = await fetch(`${served.url}/readyz`);
  const body = (await response.json()) as { not_ready: { name: string; detail: string }[] };
  return { status: response.status, notReady: body.not_ready };
};

const REFUSED = { status: 503, code: 'unavailable' };

async function hear(line: Line): Promise<number> {
  line.socket.send(Buffer.concat([samplesOf(SHORT_RECORDING, 16_000), Buffer.alloc(16_000)]));
  line.json({ type: 'commit' });
  const usage = await line.frame(
    ({ type, billed_seconds }) => type === 'usage' && Number(billed_seconds) > 0,
  );
  line.json({ type: 'close' });
  expect(await line.closed).toBe(1000);
  return Number(usage.billed_seconds) * 1000;
}

interface Begun {
  readonly speech: ReadableStreamDefaultReader<Uint8Array>;
  readonly first: number;
  readonly line: Line;
}

async function begin(caller: Caller): Promise<Begun> {
  const line = caller.socket('/v1/audio/transcriptions/stream?sample_rate=16000');
  await line.opened;
  const input = 'Your order arrives on Monday. '.repeat(12);
  const speech = await caller.stream('/v1/audio/speech', {
    input,
    voice: 'joe_en_us',
    response_format: 'pcm',
    sample_rate: 8000,
    stream: true,
  });
  const { value } = await speech.read();
  return { line, speech, first: value!.length };
}

async function spoken({ speech, first }: Begun): Promise<number> {
  let bytes = first;
  for (let next = await speech.read(); !next.done; next = await speech.read()) bytes += next.value.length;
  return Math.round(bytes / 16);
}

async function whileItFails(
  served: ServerProcess,
  caller: Caller,
  begun: Begun,
): Promise<{ speak: number; hear: number }> {
  const refused = async (what: string, answer: Promise<{ status: number; retryAfter?: number }>) => {
    const got = await answer;
    expect(got, what).toMatchObject(REFUSED);
    expect(got.retryAfter, what).toBeGreaterThan(0);
  };
  const plain = async (answer: Promise<Response>) => {
    const response = await answer;
    const body = (await response.json()) as { error: { code: string } };
    const retryAfter = Number(response.headers.get('retry-after'));
    return { status: response.status, code: body.error.code, retryAfter };
  };
  await refused('signup', plain(signup(served, 'during')));
  await refused('a sandbox key', plain(fetch(`${served.url}/v1/sandbox/keys`, { method: 'POST' })));
  await refused('a transcription', caller.upload('/v1/audio/transcriptions', SHORT_RECORDING));
  const large = Buffer.alloc(3_000_000, 1);
  await refused('an upload', caller.upload('/v1/transcription/jobs', SHORT_RECORDING));
  await refused('a large upload', caller.upload('/v1/transcription/jobs', large));
  const url = { audio_url: 'https://example.com/call.wav' };
  await refused('a job', caller.send('POST', '/v1/transcription/jobs', url));
  await refused('a setting', caller.send('PUT', '/v1/speak/settings', { default_voice: 'joe_en_us' }));
  const text = { input: 'Your order arrives on Monday.', voice: 'joe_en_us', response_format: 'pcm' };
  await refused('speech in one piece', caller.send('POST', '/v1/audio/speech', { ...text, stream: false }));
  expect(await caller.send('GET', '/v1/me')).toMatchObject({ status: 200 });
  expect(await caller.send('GET', '/v1/transcription/jobs')).toMatchObject({ status: 200 });

  const call = caller.socket('/v1/omni?format=pcm16&rate=8000');
  await call.opened;
  call.control({ type: 'configure', voice_id: 'joe_en_us' });
  expect(await call.frame(({ event }) => event === 'error')).toMatchObject({
    error: { code: 'unavailable' },
  });
  expect(await call.closed).toBe(1013);

  await refused('speech', caller.send('POST', '/v1/audio/speech', text));
  return { speak: await spoken(begun), hear: await hear(begun.line) };
}

const accountOf = async (served: ServerProcess): Promise<Caller> => {
  const caller = new Caller(served, await served.key());
  expect((await signup(served, 'before')).status).toBe(201);
  expect((await readyz(served)).status).toBe(200);
  return caller;
};

async function withoutDisk(served: ServerProcess, caller: Caller, begun: Begun, named: RegExp) {
  const unrecorded = await whileItFails(served, caller, begun);
  const { status, notReady } = await readyz(served);
  expect(status).toBe(503);
  expect(notReady.map(({ name, detail }) => `${name}: ${detail}`).join('\n')).toMatch(named);
  return unrecorded;
}

async function worksAgain(served: ServerProcess, caller: Caller): Promise<void> {
  expect((await signup(served, 'during')).status).toBe(201);
  const accepted = await caller.upload('/v1/transcription/jobs', SHORT_RECORDING);
  expect(accepted.status).toBe(201);
  expect(await endedJob(caller, accepted)).toMatchObject({ status: 'completed' });
}

async function survives(served: ServerProcess, breakDisk: () => void, mendDisk: () => void, named: RegExp) {
  const caller = await accountOf(served);
  const before = served.level();
  const begun = await begin(caller);
  breakDisk();
  const unrecorded = await withoutDisk(served, caller, begun, named);
  mendDisk();
  await expect.poll(async () => (await readyz(served)).notReady, { timeout: 10_000 }).toEqual([]);
  await expect.poll(() => billedOf(served), { timeout: 20_000 }).toEqual(unrecorded);
  await worksAgain(served, caller);
  await served.backTo(before, 200);
  expect(await served.end()).toBe(0);
  return unrecorded;
}

/** Reads a copy: the folder may be mounted for the server alone, where SQLite cannot follow the path. */
const billedOf = (served: ServerProcess) => {
  const copy = dataFolder();
  const folder = `/proc/${served.pid}/root${served.data}`;
  for (const name of readdirSync(folder))
    if (name.startsWith('trunkline.db')) copyFileSync(join(folder, name), join(copy, name));
  const { hear_async: _, ...rest } = billed(copy);
  return rest;
};

const errors: [string, DiskError, RegExp][] = [
  ['is full', 'ENOSPC', /^database .*: its disk is full/m],
  ['is read-only', 'EROFS', /^database .*: its disk fails: disk I\/O error/m],
  ['fails', 'EIO', /^database .*: its disk fails: disk I\/O error/m],
];

const MOUNT = 'mount -t tmpfs -o size=700m tmpfs "$1" && shift && exec "$@"';
const mountable = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
if (!mountable) console.warn('a disk that is really full is not tested: this system lets no test mount one.');
const shortErrors = errors.filter(([, error]) => error === (mountable ? 'EROFS' : 'ENOSPC'));

describe.skipIf(Boolean(absent))('a disk that', () => {
  it.each(isLong ? errors : shortErrors)(
    '%s costs an answer of 503 and nothing that was accepted or served',
    async (_, error, named) => {
      const data = dataFolder();
      const served = await ServerProcess.start({ data, environment: failing.environment(data) });
      const unrecorded = await survives(
        served,
        () => failing.fail(error),
        () => failing.mend(),
        named,
      );
      expect(billed(data)).toMatchObject(unrecorded);
      const again = await ServerProcess.start({ data });
      expect(await again.end()).toBe(0);
      expect(billed(data)).toMatchObject(unrecorded);
    },
    240_000,
  );

  it('takes what it is given and cannot keep it costs an answer of 503', async () => {
    const data = dataFolder();
    const served = await ServerProcess.start({ data, environment: failing.environment(data) });
    const caller = await accountOf(served);
    failing.failToSync('EIO');
    expect((await signup(served, 'during')).status).toBe(503);
    expect(await caller.send('PUT', '/v1/speak/settings', { default_voice: 'joe_en_us' })).toMatchObject(
      REFUSED,
    );
    expect(await caller.send('GET', '/v1/me')).toMatchObject({ status: 200 });
    failing.mend();
    await expect.poll(async () => (await readyz(served)).notReady, { timeout: 10_000 }).toEqual([]);
    expect((await signup(served, 'after')).status).toBe(201);
    expect(await served.end()).toBe(0);
  }, 120_000);

  it.runIf(mountable)(
    'is really full does so too',
    async () => {
      const data = dataFolder();
      mkdirSync(data, { recursive: true });
      const through = ['unshare', '-rm', 'sh', '-c', MOUNT, 'sh', data] as const;
      const served = await ServerProcess.start({ data, through });
      const filler = join(`/proc/${served.pid}/root${data}`, 'filler');
      const fill = () => {
        try {
          for (;;) writeFileSync(filler, Buffer.alloc(1 << 20), { flag: 'a' });
        } catch (error) {
          expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
        }
      };
      await survives(served, fill, () => rmSync(filler), /disk of .* is full|its disk is full/);
    },
    240_000,
  );

  const refusal = RealDisk.absent();
  if (refusal) console.warn(`a disk that really turns read-only is not tested: ${refusal}.`);
  it.skipIf(Boolean(refusal))(
    'really turns read-only under a server is named, and what it then served is told in full',
    async () => {
      const data = dataFolder();
      const disk = new RealDisk(data, 700);
      try {
        const served = await ServerProcess.start({ data, through: disk.through });
        const caller = await accountOf(served);
        const { id } = JSON.parse(
          (await caller.upload('/v1/transcription/jobs', SHORT_RECORDING)).body.toString(),
        ) as { id: string };
        const begun = await begin(caller);
        disk.turnReadOnly(served.pid);
        const unrecorded = await withoutDisk(served, caller, begun, /its disk is read-only|its disk fails/);
        // The server does not write to such a disk before it is mended: the unrecorded usage goes into the log.
        expect(await served.end()).toBe(0);
        const reported = served.faults.flatMap(
          (line) => /will be lost when the process ends: (\{.*\})/.exec(textOf(line))?.[1] ?? [],
        );
        const events = reported.map((text) => JSON.parse(text) as { milliseconds: number });
        const sum = events.reduce((all, { milliseconds }) => all + milliseconds, 0);
        expect(sum).toBe(unrecorded.speak + unrecorded.hear);
        disk.mend();
        const again = await ServerProcess.start({ data, through: disk.through });
        const same = new Caller(again, caller.key);
        const job = await endedJob(same, { body: Buffer.from(JSON.stringify({ id })) });
        expect(job).toMatchObject({ status: 'completed' });
        await worksAgain(again, same);
        expect(await again.end()).toBe(0);
      } finally {
        disk.remove();
      }
    },
    240_000,
  );
});

const textOf = (line: Record<string, unknown>): string =>
  (line.err as { message?: string } | undefined)?.message ?? String(line.msg);
