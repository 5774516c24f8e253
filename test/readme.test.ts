// @requirement Guides: Each block of a guide runs, or says why it does not.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Models } from '../src/foundation/platform/models/index.ts';
import { PRODUCTS } from '../src/speech/voices/stock.ts';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const ADDRESS = 'http://127.0.0.1:8080';

const store = new Models();
const missing = store.list.filter((model) => model.fetch === 'default' && !store.status(model.id).ready);
if (missing.length > 0 && process.env.CI === 'true')
  throw new Error(`models are missing: ${missing.map(({ id }) => id)}`);

interface Build {
  setUp(options: { models: boolean; log: () => void }): Promise<void>;
}

describe.skipIf(missing.length > 0)('README', () => {
  const data = mkdtempSync(join(tmpdir(), 'readme-'));
  let server: ChildProcess;
  let url = '';

  beforeAll(async () => {
    const build = (await import(join(root, 'scripts/setup.mjs'))) as Build;
    await build.setUp({ models: false, log: () => {} });
    const env = {
      ...process.env,
      TRUNKLINE_PORT: '0',
      TRUNKLINE_DATA: data,
      TRUNKLINE_LOG_LEVEL: 'error',
      TRUNKLINE_CARRIER: 'loopback',
      TRUNKLINE_MCP: 'true',
    };
    server = spawn(process.execPath, ['scripts/start.mjs'], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: server.stdout! })) {
      url = /^ready (http:\S+)/.exec(line)?.[1] ?? '';
      if (url) break;
    }
    expect(url).not.toBe('');
  }, 600_000);

  afterAll(async () => {
    server?.kill('SIGTERM');
    if (server?.exitCode === null) await new Promise((resolve) => server.on('close', resolve));
    rmSync(data, { recursive: true, force: true });
  });

  it('has a tour that runs as it stands', () => {
    const tour = readme.slice(readme.indexOf('## Five minutes'), readme.indexOf('## Surfaces'));
    const blocks = [...tour.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1]!);
    expect(blocks.length).toBeGreaterThan(1);
    const script = `set -eu\n${blocks.join('\n')}`
      .replaceAll(ADDRESS, url)
      .replaceAll('curl -s', 'curl -sS --fail-with-body');
    const done = spawnSync('bash', ['-c', script], { cwd: data, encoding: 'utf8', timeout: 120_000 });
    expect(done.stdout + done.stderr, script).not.toMatch(/"error"|Traceback/);
    expect(done.status, done.stdout + done.stderr).toBe(0);
    expect(done.stdout).toContain('"object":"identity"');
    if (tour.includes('/v1/audio/transcriptions'))
      expect(done.stdout.toLowerCase()).toMatch(/appointment.*tomorrow/);
  }, 180_000);

  it('says truly which surfaces are served', async () => {
    const openapi = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const asyncapi = (await (await fetch(`${url}/asyncapi.json`)).json()) as {
      channels?: Record<string, { address: string }>;
    };
    const sockets = new Set(Object.values(asyncapi.channels ?? {}).map(({ address }) => address));
    const rows = [...readme.matchAll(/^\| [^|]+ \| `(?:(GET|POST) )?(\/[^`]+)` \| ([^|]+) \|$/gm)];
    expect(rows.length).toBeGreaterThan(20);
    const wrong = rows.flatMap(([, method, path, state]) => {
      const served = method
        ? openapi.paths[path!] !== undefined && method.toLowerCase() in openapi.paths[path!]!
        : sockets.has(path!);
      return served === /^served(, \[limits\]\(docs\/limits\.md#[\w-]+\))?$/.test(state!)
        ? []
        : [`${path} is ${served ? '' : 'not '}served, but the table says '${state}'`];
    });
    expect(wrong).toEqual([]);
    expect(PRODUCTS.includes('speak')).toBe(openapi.paths['/v1/audio/speech'] !== undefined);
    expect(PRODUCTS.includes('omni')).toBe(sockets.has('/v1/omni'));
  });

  it('names only commands and files that exist', () => {
    for (const [, file] of readme.matchAll(/\]\(([^)#]+)\)/g))
      expect(() => readFileSync(join(root, file!)), file).not.toThrow();
    for (const [, command] of readme.matchAll(/npx trunkline (\w+)/g)) {
      const done = spawnSync(process.execPath, ['scripts/trunkline.mjs', command!, '--help'], {
        cwd: root,
        encoding: 'utf8',
      });
      expect(done.status, command).toBe(0);
    }
  });
});
