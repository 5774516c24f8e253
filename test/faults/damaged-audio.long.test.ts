import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { absent, make, workFolder } from '../media/codec/recordings.ts';
import { compileProgram } from '../running-server.ts';
import { type Answered, Caller, endedJob, SHORT_RECORDING } from './client.ts';
import { damagedFiles } from './damaged-files.ts';
import { billedRows, heldRows } from './ledger.ts';
import { descendants } from './processes.ts';
import { type ResourceUsage, ServerProcess } from './server-process.ts';
import { inForm } from './suite-length.ts';

const FILES = inForm(60, 200);
/** Every sixth file goes through a job. */
const JOBS = 6;
const MORE_MIB = 128;

let served: ServerProcess;
let before: ResourceUsage;
let callers: Caller[];
const folder = workFolder();
afterAll(folder.remove);

describe.skipIf(Boolean(absent))('damaged audio', () => {
  beforeAll(async () => {
    await compileProgram();
    served = await ServerProcess.start({ environment: { TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1' } });
    callers = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(async (at) => new Caller(served, await served.key(`198.${at}.100.1`))),
    );
    expect(await callers[0]!.upload('/v1/audio/transcriptions', SHORT_RECORDING)).toMatchObject({
      status: 200,
    });
    await endedJob(callers[0]!, await callers[0]!.upload('/v1/transcription/jobs', SHORT_RECORDING));
    before = served.level();
  }, 240_000);

  it('is answered as documented, is billed once or not at all, and leaves nothing behind', async () => {
    const length = ['-t', '2'];
    const sound = [
      readFileSync(SHORT_RECORDING),
      ...['s.mp3', 's.flac', 's.ogg', 's.m4a'].map((name) =>
        readFileSync(make(folder.path, name, ...length)),
      ),
      readFileSync(make(folder.path, 's8.wav', ...length, '-ar', '8000', '-c:a', 'pcm_mulaw')),
    ];
    const files = damagedFiles(sound, FILES, 18);
    const earlier = billedRows(served.data).length;
    let at = 0;
    let served200 = 0;
    const reported: string[] = [];
    const worker = async (): Promise<void> => {
      for (;;) {
        const index = at++;
        const file = files[index];
        if (!file) return;
        const caller = callers[index % callers.length]!;
        const answer =
          index % JOBS === 0
            ? await asJob(caller, file.bytes)
            : await caller.upload('/v1/audio/transcriptions', file.bytes, {
                response_format: 'verbose_json',
              });
        expect([answer.status, answer.code], file.name).toSatisfy(documented);
        if (answer.status !== 200) continue;
        const { text } = JSON.parse(answer.body.toString()) as { text: string };
        if (text !== '') served200 += 1;
        reported.push(text);
      }
    };
    await Promise.all([worker(), worker()]);
    expect(reported.length).toBeGreaterThan(FILES / 10);
    expect(reported.length).toBeLessThan(FILES);
    const rows = billedRows(served.data);
    expect(rows.length - earlier).toBe(served200);
    expect(new Set(rows.map(({ resource }) => resource)).size).toBe(rows.length);
    // The last answer is sent before its reservation is released.
    await vi.waitFor(() => expect(heldRows(served.data)).toBe(0), { timeout: 10_000 });
    expect(await callers[0]!.upload('/v1/audio/transcriptions', SHORT_RECORDING)).toMatchObject({
      status: 200,
    });
    expect(descendants(served.pid).filter(({ command }) => /ffmpeg/.test(command))).toEqual([]);
    expect(readdirSync(join(served.data, 'spool'))).toEqual([]);
    await served.backTo(before, MORE_MIB);
    expect(served.faults).toEqual([]);
  }, 600_000);
});

const documented = ([status, code]: [number, string | undefined]): boolean =>
  status === 200 ||
  (status === 400 && code === 'invalid_audio') ||
  (status === 413 && code === 'payload_too_large');

async function asJob(caller: Caller, bytes: Buffer): Promise<Answered> {
  const accepted = await caller.upload('/v1/transcription/jobs', bytes);
  if (accepted.status !== 201) return accepted;
  const job = await endedJob(caller, accepted);
  const failed = job.status === 'failed';
  // The customer learns what is wrong with the file, and not that we failed.
  if (failed) expect(job.error).not.toMatch(/server error/);
  return {
    status: failed ? 400 : 200,
    code: failed ? 'invalid_audio' : undefined,
    retryAfter: Number.NaN,
    body: Buffer.from(JSON.stringify({ text: job.text ?? '' })),
  };
}
