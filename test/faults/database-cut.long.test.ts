/**
 * The proxy cuts connections to PostgreSQL at each statement: the request fails as `unavailable`, and the node goes
 * on.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type EmptyDatabase, migratedDatabase } from '../foundation/storage/databases.ts';
import { onServer, POSTGRES_URL } from '../foundation/storage/templates.ts';
import { absent } from '../media/codec/recordings.ts';
import { until } from '../poll.ts';
import { compileProgram } from '../running-server.ts';
import { Caller, endedJob, SHORT_RECORDING, samplesOf } from './client.ts';
import { DatabaseProxy, type Moment } from './database-proxy.ts';
import { ServerProcess } from './server-process.ts';
import { inForm } from './suite-length.ts';

const MOMENTS: readonly Moment[] = ['before', 'after'];
const OMNI = '/v1/omni?format=pcm16&rate=16000';
const PASSWORD = 'a password of some length';
/** The short form cuts at every n-th statement. */
const EVERY_NTH = inForm(9, 1);
const EVERY_NTH_OF_JOB = inForm(17, 1);
const EVERY_NTH_OF_SIGN_UP = inForm(4, 1);

let database: EmptyDatabase;
let proxy: DatabaseProxy;
let served: ServerProcess;
let networks = 0;
/** Each request comes from a network of its own, so that no rate limit applies. */
const network = () => `198.${(networks >> 8) + 1}.${networks++ & 255}.1`;

const unhandled = () => served.log.filter(({ msg }) => String(msg).includes('unhandled error'));

describe.skipIf(!POSTGRES_URL || Boolean(absent))('a connection to the database that is cut', () => {
  beforeAll(async () => {
    await compileProgram();
    database = await migratedDatabase('postgres');
    proxy = await DatabaseProxy.open(database.options.databaseUrl as string);
    served = await ServerProcess.start({
      environment: { TRUNKLINE_DATABASE_URL: proxy.url, TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1' },
    });
  }, 240_000);

  afterEach(async () => {
    proxy?.arm(null);
    expect(served.running.child.exitCode, served.running.errors).toBeNull();
    expect((await fetch(`${served.url}/healthz`)).status).toBe(200);
    expect(unhandled()).toEqual([]);
  });

  afterAll(async () => {
    await served?.end();
    await proxy?.close();
    await database?.remove();
  }, 60_000);

  async function atEach(step: number, task: (caller: Caller) => Promise<unknown>): Promise<void> {
    const somebody = async () => new Caller(served, await served.key(network()));
    const first = await somebody();
    proxy.arm(null);
    await task(first);
    const statements = proxy.asked.length;
    expect(statements).toBeGreaterThan(3);
    for (const moment of MOMENTS) {
      for (let at = 1; at <= statements; at += step) {
        // A task may need fewer statements than the first one did: what was not cut then is not cut now.
        proxy.arm(null);
        const caller = await somebody();
        proxy.arm(at, moment);
        await task(caller).catch((error: Error) => {
          throw new Error(`cut ${moment} statement ${at}, ${proxy.cut}: ${error.message}`, { cause: error });
        });
        expect(served.running.child.exitCode, `${moment} ${proxy.cut}\n${served.running.errors}`).toBeNull();
      }
    }
  }

  it('in a sign-up refuses it as unavailable, or keeps it whole', async () => {
    const post = async (path: string, body: object) => {
      const response = await fetch(served.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': network() },
        body: JSON.stringify(body),
      });
      const { error } = (await response.json()) as { error?: { code: string } };
      return { status: response.status, code: error?.code };
    };
    let people = 0;
    await atEach(EVERY_NTH_OF_SIGN_UP, async () => {
      people += 1;
      const person = { email: `person-${people}@example.com`, password: PASSWORD };
      const reported = await post('/auth/signup', person);
      if (reported.status !== 201) expect(reported).toEqual({ status: 503, code: 'unavailable' });
      proxy.arm(null);
      const there = (await post('/auth/login', person)).status === 200;
      if (reported.status === 201) expect(there).toBe(true);
      expect((await post('/auth/signup', person)).status).toBe(there ? 400 : 201);
      expect((await post('/auth/login', person)).status).toBe(200);
    });
  }, 600_000);

  it('in a job costs a second try at most, and it is billed once', async () => {
    const jobs: string[] = [];
    await atEach(EVERY_NTH_OF_JOB, async (caller) => {
      let accepted = await caller.upload('/v1/transcription/jobs', SHORT_RECORDING);
      if (accepted.status !== 201) {
        expect([accepted.status, accepted.code]).toEqual([503, 'unavailable']);
        accepted = await caller.upload('/v1/transcription/jobs', SHORT_RECORDING);
      }
      expect(accepted.status).toBe(201);
      const job = await endedJob(caller, accepted);
      expect(job).toMatchObject({ status: 'completed' });
      jobs.push(job.id);
    });
    await onDatabase(async (query) => {
      const rows = await query('select resource, count(*)::int as times from usage_events group by resource');
      const billed = new Map(rows.map(({ resource, times }) => [resource, times]));
      for (const id of jobs) expect(billed.get(id), id).toBe(1);
    });
  }, 1_200_000);

  it('in a call ends that call at most, and one that was served to its end is on record', async () => {
    const voice = samplesOf(SHORT_RECORDING, 16_000).subarray(0, 32_000);
    await atEach(EVERY_NTH, async (caller) => {
      const line = caller.socket(OMNI);
      const opened = await line.opened.then(
        () => true,
        (error: Error) => {
          expect(error.message).toContain('503');
          return false;
        },
      );
      if (!opened) return;
      line.control({ type: 'configure' });
      const configured = await line.frame(({ event }) => event === 'configured').catch(() => null);
      if (configured === null) {
        expect([1011, 1013]).toContain(await line.closed);
        return;
      }
      line.socket.send(Buffer.concat([Buffer.of(1), voice]));
      line.control({ type: 'end' });
      const code = await line.closed;
      if (code !== 1000) expect([1011, 1013]).toContain(code);
      proxy.arm(null);
      await until(async () => {
        const record = await caller.send('GET', `/v1/omni/calls/${configured.call_id}`);
        return record.status === 200;
      });
    });
  }, 1_200_000);

  it('with all others at once is made again, and messages between nodes are heard again', async () => {
    const caller = new Caller(served, await served.key(network()));
    proxy.cutAll();
    await until(async () => (await caller.send('GET', '/v1/me')).status === 200);
    const watch = caller.socket('/v1/live');
    await watch.opened;
    const line = caller.socket(OMNI);
    await line.opened;
    line.control({ type: 'configure' });
    await watch.frame(({ type }) => type === 'call.began');
    line.control({ type: 'end' });
    expect(await line.closed).toBe(1000);
    watch.socket.close();
  });

  async function onDatabase(
    task: (query: (text: string) => Promise<Record<string, unknown>[]>) => Promise<void>,
  ): Promise<void> {
    await onServer(
      async (client) => task(async (text) => (await client.query(text)).rows),
      database.options.databaseUrl,
    );
  }
});
