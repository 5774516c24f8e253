/**
 * kill -9 comes in the middle of a stream and of a sign-up; calls and jobs have tests of their own
 * (test/edge/surfaces/omni, test/speech/transcription).
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { absent } from '../media/codec/recordings.ts';
import { compileProgram, dataFolder } from '../running-server.ts';
import { Caller, SHORT_RECORDING, samplesOf } from './client.ts';
import { numbers } from './damaged-files.ts';
import { billedRows, heldRows, look } from './ledger.ts';
import { ServerProcess } from './server-process.ts';
import { inForm } from './suite-length.ts';

beforeAll(compileProgram, 240_000);

const STREAM = '/v1/audio/transcriptions/stream?sample_rate=16000&language=en';

describe.skipIf(Boolean(absent))('kill -9 in a stream', () => {
  it('loses no second that was told and bills none twice, and the key’s place is free', async () => {
    const data = dataFolder();
    const first = await ServerProcess.start({ data });
    const key = await first.key();
    const line = new Caller(first, key).socket(STREAM);
    await line.opened;
    const voice = samplesOf(SHORT_RECORDING, 16_000);
    line.socket.send(Buffer.concat([voice, Buffer.alloc(16_000)]));
    line.json({ type: 'commit' });
    const usage = await line.frame(
      ({ type, billed_seconds }) => type === 'usage' && Number(billed_seconds) > 0,
    );
    line.socket.send(voice);
    await line.frame(({ type, start }) => type === 'partial' && Number(start) * 32_000 > voice.length);
    await first.kill();
    expect(await line.closed).toBe(1006);
    const reported = [Math.round(Number(usage.billed_seconds) * 1000)];
    expect(billedRows(data).map(({ milliseconds }) => milliseconds)).toEqual(reported);

    const second = await ServerProcess.start({ data });
    const again = new Caller(second, key).socket(STREAM);
    await again.opened;
    again.json({ type: 'close' });
    expect(await again.closed).toBe(1000);
    expect(await second.end()).toBe(0);
    expect(billedRows(data).map(({ milliseconds }) => milliseconds)).toEqual(reported);
    expect(second.faults).toEqual([]);
  }, 240_000);
});

const ROUNDS = inForm(1, 20);
/** The sign-ups are concurrent, so that one kill meets several places. */
const PEOPLE = 4;
const PASSWORD = 'a password of some length';

interface Person {
  readonly email: string;
  readonly network: string;
}

const post = async (served: ServerProcess, path: string, { email, network }: Person) => {
  const response = await fetch(served.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': network },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  await response.arrayBuffer();
  return response.status;
};

async function killedSignups(served: ServerProcess, people: readonly Person[], waitMs: number) {
  const reported = people.map(async (person, at) => {
    await new Promise((resolve) => setTimeout(resolve, 15 * at));
    return await post(served, '/auth/signup', person).catch(() => null);
  });
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  await served.kill();
  return await Promise.all(reported);
}

describe('kill -9 in a signup', () => {
  it('leaves a whole account or none, and none that was told is lost', async () => {
    const data = dataFolder();
    const environment = { TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1' };
    const start = () => ServerProcess.start({ data, environment, early: true });
    const next = numbers(9);
    for (let round = 0; round < ROUNDS; round += 1) {
      const people = Array.from({ length: PEOPLE }, (_, at) => ({
        email: `p${round}-${at}@example.com`,
        network: `198.${round + 1}.${at + 1}.1`,
      }));
      const reported = await killedSignups(await start(), people, next() * 400);
      const served = await start();
      for (const [at, person] of people.entries()) {
        const there = (await post(served, '/auth/login', person)) === 200;
        if (reported[at] === 201) expect(there, person.email).toBe(true);
        expect(await post(served, '/auth/signup', person), person.email).toBe(there ? 400 : 201);
        expect(await post(served, '/auth/login', person), person.email).toBe(200);
      }
      await served.kill();
    }
    const count = (query: string) => look(data, query).length;
    const accounts = ROUNDS * PEOPLE;
    expect(count('select id from users')).toBe(accounts);
    expect(count('select id from organizations')).toBe(accounts);
    expect(count('select distinct org_id from users')).toBe(accounts);
    expect(count('select distinct org_id from projects')).toBe(accounts);
    expect(heldRows(data)).toBe(0);
  }, 600_000);
});
