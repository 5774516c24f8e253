import { lstatSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { wavHeader } from '../../src/media/codec/index.ts';
import { absent, RECORDING } from '../media/codec/recordings.ts';
import { compileProgram, dataFolder, Running } from '../running-server.ts';
import { Caller, SHORT_RECORDING, samplesOf } from './client.ts';
import { ServerProcess } from './server-process.ts';

beforeAll(compileProgram, 240_000);

const RATE = 16_000;

function filesHolding(folder: string, bytes: Buffer): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return files.filter((name) => readFileSync(join(folder, name)).includes(bytes)).sort();
}

const openToOthers = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    // A link has no permissions of its own, and `styles` links to the tables of the product.
    const found = lstatSync(join(folder, name));
    return !found.isSymbolicLink() && (found.mode & 0o077) !== 0;
  });

function longRecording() {
  const once = samplesOf(RECORDING, RATE);
  const pcm = Buffer.concat(Array.from({ length: 12 }, () => once));
  const header = wavHeader({ sampleRate: RATE, channels: 1, sample: 's16' }, pcm.length);
  return { file: Buffer.concat([header, pcm]), sample: once.subarray(64_000, 64_400) };
}

describe.skipIf(Boolean(absent))('words and sound of a job', () => {
  it('survive with it when the process is killed, and go with it when it is deleted', async () => {
    const data = dataFolder();
    const { file, sample } = longRecording();
    const first = await ServerProcess.start({ data });
    const key = await first.key();
    const caller = new Caller(first, key);
    const accepted = await caller.upload('/v1/transcription/jobs', file);
    expect(accepted.status).toBe(201);
    const { id } = JSON.parse(accepted.body.toString()) as { id: string };
    const job = async (from: Caller) =>
      JSON.parse((await from.send('GET', `/v1/transcription/jobs/${id}`)).body.toString()) as {
        status: string;
        progress: number;
        text: string;
      };
    await expect
      .poll(async () => (await job(caller)).progress, { timeout: 90_000, interval: 300 })
      .toBeGreaterThan(0);
    const words = wordsIn(data);
    await first.kill();
    expect(words.length).toBeGreaterThan(20);
    expect(filesHolding(data, sample)).toEqual([expect.stringMatching(/^blobs\/jobs\/../)]);
    expect(openToOthers(data)).toEqual([]);
    const second = await ServerProcess.start({ data });
    const again = new Caller(second, key);
    expect(['queued', 'processing', 'completed']).toContain((await job(again)).status);
    expect((await again.send('DELETE', `/v1/transcription/jobs/${id}`)).status).toBe(200);
    await expect.poll(() => filesHolding(data, sample), { timeout: 20_000 }).toEqual([]);
    await expect.poll(() => filesHolding(data, Buffer.from(words)), { timeout: 20_000 }).toEqual([]);
    await second.kill();
    expect([filesHolding(data, sample), filesHolding(data, Buffer.from(words))]).toEqual([[], []]);
    expect(readdirSync(join(data, 'spool'))).toEqual([]);
  }, 300_000);
});

function wordsIn(data: string): string {
  const database = new BetterSqlite(join(data, 'trunkline.db'), { readonly: true });
  const row = database.prepare('select document from transcription_segments limit 1').get() as {
    document: string;
  };
  database.close();
  return (JSON.parse(row.document) as { text: string }).text.slice(0, 40);
}

describe('a database file that is damaged', () => {
  it('is named at the start, which ends at once and changes nothing', async () => {
    const data = dataFolder();
    const served = await ServerProcess.start({ data, early: true });
    await served.key();
    await served.end();
    const file = join(data, 'trunkline.db');
    truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
    const before = readFileSync(file);
    for (let start = 0; start < 2; start += 1) {
      const running = new Running(['serve'], { TRUNKLINE_DATA: data });
      expect(await running.code()).toBe(1);
      expect(running.errors).toMatch(/^error: the database cannot be opened: .*trunkline\.db is damaged/m);
      expect(running.errors).toMatch(/restore a backup, or move the file away/);
      expect(running.errors).not.toMatch(/^ {4}at /m);
      expect(readFileSync(file).equals(before)).toBe(true);
    }
  }, 120_000);
});

describe.skipIf(Boolean(absent))('a write lock that another program holds', () => {
  it('delays what is written, refuses it in time, and no read waits', async () => {
    const data = dataFolder();
    const served = await ServerProcess.start({ data });
    const caller = new Caller(served, await served.key());
    const other = new BetterSqlite(join(data, 'trunkline.db'));
    other.exec('begin immediate');
    const began = performance.now();
    const refused = caller.upload('/v1/audio/transcriptions', SHORT_RECORDING);
    const also = caller.send('PUT', '/v1/speak/settings', { default_voice: 'joe_en_us' });
    let pending = true;
    void Promise.allSettled([refused, also]).then(() => {
      pending = false;
    });
    let reads = 0;
    for (; reads < 5; reads += 1) expect((await caller.send('GET', '/v1/me')).status).toBe(200);
    expect((await fetch(`${served.url}/readyz`)).status).toBe(200);
    expect(pending).toBe(true);
    for (const answer of await Promise.all([refused, also]))
      expect(answer).toMatchObject({ status: 503, code: 'unavailable', retryAfter: 1 });
    expect(performance.now() - began).toBeLessThan(40_000);
    other.exec('rollback');
    other.close();
    const setting = { default_voice: 'joe_en_us' };
    expect((await caller.send('PUT', '/v1/speak/settings', setting)).status).toBe(200);
    expect(await served.end()).toBe(0);
  }, 180_000);
});
