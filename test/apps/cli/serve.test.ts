// @requirement Brains: A language model that is down is reported by readiness and `doctor`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { itLong, long, longForm, sampleOf } from '../../long-tests.ts';
import { compileProgram, Running, root } from '../../running-server.ts';

beforeAll(compileProgram, 120_000);

const ADDRESS = /(http:\/\/127\.0\.0\.1:\d+)/;

async function preparing(url: string): Promise<boolean> {
  const { not_ready } = (await (await fetch(`${url}/readyz`)).json()) as { not_ready: { name: string }[] };
  return not_ready.some(({ name }) => name.startsWith('engine '));
}

describe('trunkline serve', () => {
  it('serves, says where, and ends with 0 after SIGTERM', async () => {
    const running = new Running(['serve']);
    const [, url] = await running.line(ADDRESS);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const minted = await fetch(`${url}/v1/sandbox/keys`, { method: 'POST' });
    expect(minted.status).toBe(201);
    const { api_key: key } = (await minted.json()) as { api_key: string };
    const me = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    expect(await me.json()).toMatchObject({ environment: 'sandbox' });
    running.child.kill('SIGTERM');
    expect(await running.code()).toBe(0);
    expect(running.lines.join('\n') + running.errors).not.toContain(key);
  });

  itLong(
    'ends at once on a second signal while it drains',
    async () => {
      const running = new Running(['serve'], { TRUNKLINE_DRAIN_SECONDS: '600', TRUNKLINE_LOG_LEVEL: 'info' });
      const [, url] = await running.line(ADDRESS);
      await expect.poll(() => preparing(url!), { timeout: 60_000 }).toBe(false);
      // A request whose body never comes keeps the drain waiting; the 100 shows that it has begun.
      const pending = connect(Number(new URL(url!).port), '127.0.0.1');
      pending.on('error', () => {});
      pending.write(
        'POST /auth/signup HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n',
      );
      await once(pending, 'data');
      running.child.kill('SIGTERM');
      await running.line(/"draining"/);
      running.child.kill('SIGINT');
      expect(await running.code()).toBe(1);
      pending.destroy();
    },
    90_000,
  );

  itLong(
    'ends by its own hand when it is forced to while models open',
    async () => {
      const running = new Running(['serve']);
      await running.line(/^(serving|ready) /);
      running.child.kill('SIGTERM');
      running.child.kill('SIGINT');
      expect([0, 1]).toContain(await running.code());
      expect(running.child.signalCode).toBeNull();
    },
    180_000,
  );

  itLong(
    'exits by its own code at any moment of opening models',
    async () => {
      const program = (moment: string) => `
      const { Engine } = await import('./dist/media/engine/index.js');
      const { Models } = await import('./dist/foundation/platform/models/index.js');
      const leave = () => process.exit(7);
      const options = { models: new Models({ root: process.argv[1] || null }).wholeFiles(), inferenceThreads: 4 };
      new Engine(options, { kind: ${moment === 'first' ? 'leave' : '() => {}'} });
      if (${moment !== 'first'}) setTimeout(leave, ${Number(moment)});`;
      for (const moment of sampleOf(['first', '200', '1', '50', '500'], 3)) {
        const models = process.env.TRUNKLINE_MODELS ?? '';
        const child = spawn(process.execPath, ['--input-type=module', '-e', program(moment), '--', models], {
          cwd: root,
          stdio: 'inherit',
        });
        const [code, signal] = await once(child, 'exit');
        expect([code, signal], `exit at ${moment}`).toEqual([7, null]);
      }
    },
    180_000,
  );

  const libraries = [
    ['no library', '/nonexistent.so'],
    ['another library', '/lib/x86_64-linux-gnu/libc.so.6'],
  ] as const;
  it.each(sampleOf(libraries, 2))(
    'is not ready where the inference library is %s, and says why',
    async (_what, library) => {
      const running = new Running(['serve'], { TRUNKLINE_ORT_LIBRARY: library });
      const [, url] = await running.line(ADDRESS);
      await running.line(/^ {2}engine hear: .*(no file at|is a library, but not ONNX Runtime|cannot load)/);
      expect((await fetch(`${url}/readyz`)).status).toBe(503);
      expect(running.lines.join('\n')).not.toMatch(/^ready /m);
    },
    90_000,
  );

  const storages: [string, Record<string, string>, RegExp][] = [
    [
      'a database that nobody serves',
      { TRUNKLINE_DATABASE_URL: 'postgres://x@127.0.0.1:1/x' },
      /DATABASE_URL/,
    ],
    ['a data folder that is a file', { TRUNKLINE_DATA: join(root, 'package.json') }, /TRUNKLINE_DATA/],
  ];
  it.each(sampleOf(storages, 2))(
    'says in a line that %s cannot be opened, and which setting to look at',
    async (_what, env, setting) => {
      const running = new Running(['serve'], env);
      expect(await running.code()).toBe(1);
      expect(running.errors).toMatch(/^error: the database cannot be opened: ./m);
      expect(running.errors).toMatch(setting);
      expect(running.errors).not.toMatch(/^ {4}at /m);
    },
    90_000,
  );

  it('lists every problem of the configuration, and no stack', async () => {
    const running = new Running(['serve'], { TRUNKLINE_PORT: 'eighty', TRUNKLINE_DEVICE: 'tpu' });
    expect(await running.code()).toBe(2);
    expect(running.errors).toMatch(/TRUNKLINE_PORT must be an integer/);
    expect(running.errors).toMatch(/TRUNKLINE_DEVICE must be one of/);
    expect(running.errors).not.toMatch(/ at .*\.js/);
  });

  it('says that the port is taken, and no stack', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const running = new Running(['serve'], { TRUNKLINE_PORT: String(port) });
    expect(await running.code()).toBe(1);
    expect(running.errors).toMatch(/port is taken/);
    expect(running.errors).not.toMatch(/ at .*\.js/);
    taken.close();
  });
});

describe('trunkline doctor', () => {
  itLong(
    'looks at the rest where the storage does not open, and calls no device ready without a library',
    async () => {
      const running = new Running(['doctor', '--json'], {
        TRUNKLINE_DATA: join(root, 'package.json'),
        TRUNKLINE_ORT_LIBRARY: '/nonexistent.so',
      });
      expect(await running.code()).toBe(1);
      const findings = JSON.parse(running.lines.join('\n')) as { name: string; works: boolean }[];
      const works = (name: string) => findings.find((finding) => finding.name.startsWith(name))?.works;
      expect([works('storage'), works('inference library'), works('device')]).toEqual([false, false, false]);
      expect([works('model silero-vad'), works('phonemes'), works('ffmpeg')]).toEqual([true, true, true]);
    },
  );

  // @requirement Knowledge: `doctor` says which search is available.
  it('names every part, whether it works, and why not', async () => {
    const running = new Running(['doctor', '--json'], {
      TRUNKLINE_MODELS: mkdtempSync(join(tmpdir(), 'models-')),
    });
    expect(await running.code()).toBe(1);
    const findings = JSON.parse(running.lines.join('\n')) as {
      name: string;
      works: boolean;
      detail?: string;
    }[];
    expect(findings.find(({ name }) => name.startsWith('database'))?.works).toBe(true);
    expect(findings.find(({ name }) => name === 'listener')).toMatchObject({
      works: true,
      detail: expect.stringMatching(/@btc-vision\/uwebsockets\.js@20\.57\.0, (as published|adapted to)/),
    });
    const model = findings.find(({ name }) => name === 'model silero-vad');
    expect(model).toMatchObject({ works: false, detail: expect.stringMatching(/fix it with/) });
    const phonemes = findings.find(({ name }) => name === 'phonemes');
    expect(phonemes).toMatchObject({ works: false, detail: expect.stringMatching(/fix it with/) });
    expect(findings.find(({ name }) => name === 'knowledge search')).toMatchObject({
      works: false,
      detail: "words by SQLite's FTS5; minilm-l6 and espeak-ng not here: npx trunkline models fetch",
    });
  });

  it.skipIf(!long)(
    longForm('asks the server that runs here for what it lacks'),
    async () => {
      const server = new Running(['serve'], { TRUNKLINE_MODELS: mkdtempSync(join(tmpdir(), 'models-')) });
      const [, url] = await server.line(ADDRESS);
      const { port } = new URL(url!);
      const asked = async () => {
        const doctor = new Running(['doctor', '--json'], { TRUNKLINE_PORT: port });
        await doctor.code();
        const findings = JSON.parse(doctor.lines.join('\n')) as {
          name: string;
          works: boolean;
          detail?: string;
        }[];
        return findings.filter(({ name }) => name.startsWith(`server on port ${port}`));
      };
      const [state, ...lacks] = await asked();
      expect(state).toMatchObject({ works: false, detail: 'not_ready' });
      expect(lacks.map(({ name }) => name)).toContain(`server on port ${port}: model silero-vad`);
      server.child.kill('SIGTERM');
      await server.code();
      expect(await asked()).toMatchObject([
        { works: false, detail: expect.stringContaining('no server answers') },
      ]);
    },
    120_000,
  );
});
