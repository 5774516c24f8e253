// @requirement Sandbox: The phonemizer runs in a pool of processes that restart.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { absent, ffmpeg, workFolder } from '../media/codec/recordings.ts';
import { compileProgram } from '../running-server.ts';
import { Caller, endedJob, SHORT_RECORDING } from './client.ts';
import { billedRows, heldRows } from './ledger.ts';
import { descendants, type Process } from './processes.ts';
import { type ResourceUsage, ServerProcess } from './server-process.ts';

let served: ServerProcess;
let caller: Caller;
let before: ResourceUsage;
const folder = workFolder();
afterAll(folder.remove);

const helpers = (name: string): Process[] =>
  descendants(served.pid).filter(({ command }) => command.includes(name));

async function terminate(name: string): Promise<number> {
  for (;;) {
    const found = helpers(name);
    for (const { pid } of found) process.kill(pid, 'SIGTERM');
    if (found.length > 0) return found.length;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The file has speech and then minutes of silence: slow to decode, quick to recognize. */
function longFile(): Buffer {
  const file = join(folder.path, 'long.flac');
  const padded = ['-y', '-i', SHORT_RECORDING, '-af', 'aresample=44100,apad=pad_dur=400', file];
  expect(spawnSync(ffmpeg, ['-v', 'error', ...padded]).status).toBe(0);
  return readFileSync(file);
}

const SPEECH = {
  input: 'The office is open from nine to five. '.repeat(4),
  voice: 'joe_en_us',
  response_format: 'pcm',
};

describe.skipIf(Boolean(absent))('SIGTERM', () => {
  beforeAll(async () => {
    await compileProgram();
    served = await ServerProcess.start();
    caller = new Caller(served, await served.key());
    expect(await caller.upload('/v1/audio/transcriptions', SHORT_RECORDING)).toMatchObject({ status: 200 });
    await caller.send('POST', '/v1/audio/speech', SPEECH);
    await vi.waitFor(() => expect(heldRows(served.data)).toBe(0), 20_000);
    before = served.level();
  }, 240_000);

  it('to the decoder of a recording blames nobody’s file, and bills nothing', async () => {
    const earlier = billedRows(served.data);
    const answer = caller.upload('/v1/audio/transcriptions', longFile());
    await terminate('ffmpeg');
    expect(await answer).toMatchObject({ status: 503, code: 'unavailable', retryAfter: 1 });
    expect(billedRows(served.data)).toEqual(earlier);
    await expect.poll(() => heldRows(served.data)).toBe(0);
  }, 120_000);

  it('to the decoder of a job costs the job some time, and it is billed once', async () => {
    const accepted = await caller.upload('/v1/transcription/jobs', longFile());
    expect(accepted.status).toBe(201);
    await terminate('ffmpeg');
    const job = await endedJob(caller, accepted);
    expect(job).toMatchObject({ status: 'completed' });
    expect(job.text).not.toBe('');
    expect(billedRows(served.data).filter(({ resource }) => resource === job.id)).toHaveLength(1);
    await expect.poll(() => heldRows(served.data)).toBe(0);
  }, 240_000);

  it('to the programs that know how words are said costs no word', async () => {
    const whole = await caller.send('POST', '/v1/audio/speech', SPEECH);
    expect(whole.status).toBe(200);
    const ended = helpers('phonemes').map(({ pid }) => pid);
    expect(ended.length).toBeGreaterThan(0);
    const speaking = caller.send('POST', '/v1/audio/speech', SPEECH);
    await terminate('phonemes');
    const spoken = await speaking;
    expect(spoken.status).toBe(200);
    expect(spoken.body.length / whole.body.length).toBeGreaterThan(0.9);
    const after = await caller.send('POST', '/v1/audio/speech', SPEECH);
    expect(after.body.length / whole.body.length).toBeGreaterThan(0.9);
    expect(helpers('phonemes').filter(({ pid }) => ended.includes(pid))).toEqual([]);
    const seconds = [whole, spoken, after].map(({ body }) => Math.round(body.length / 48));
    const billed = () => billedRows(served.data).slice(-3);
    await expect.poll(() => billed().map(({ milliseconds }) => milliseconds)).toEqual(seconds);
  }, 120_000);

  it('to none of them ends the server or leaves anything of them', async () => {
    expect((await fetch(`${served.url}/readyz`)).status).toBe(200);
    expect(helpers('ffmpeg')).toEqual([]);
    await served.backTo(before, 128);
    expect(served.faults).toEqual([]);
  }, 90_000);
});
