/**
 * From `npm install trunkline` in an empty folder to `ready` and the first transcript, with a registry on loopback that
 * holds every package, and with neither a compiler nor Python on the path. `npm run pack` writes what is installed.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBench } from '../harness/index.ts';

const root = process.cwd();
const PACKED = join(root, 'dist/npm');
const GOAL_S = 60;

interface Registry {
  readonly url: string;
  close(): Promise<void>;
}
interface Trial {
  install(name: string): Promise<void>;
  serve(): Promise<string>;
  stop(): Promise<void>;
}
const { startRegistry } = (await import(join(root, 'scripts/release/registry.mjs'))) as {
  startRegistry(options: object): Promise<Registry>;
};
const { Trial } = (await import(join(root, 'scripts/release/trial.mjs'))) as {
  Trial: new (folder: string, options: object) => Trial;
};

async function firstCall(url: string): Promise<void> {
  const ask = async (path: string, init: RequestInit) => {
    const answer = await fetch(url + path, { method: 'POST', ...init });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const { api_key: key } = (await (await ask('/v1/sandbox/keys', {})).json()) as { api_key: string };
  const authorization = `Bearer ${key}`;
  const spoken = await ask('/v1/audio/speech', {
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'svc-speak',
      voice: 'en1',
      input: 'Your appointment is tomorrow at nine.',
    }),
  });
  const body = new FormData();
  body.set('model', 'svc-hear');
  body.set('file', new Blob([await spoken.arrayBuffer()]), 'said.mp3');
  await ask('/v1/audio/transcriptions', { headers: { authorization }, body });
}

await runBench('install', 'Installing from packages', async (page) => {
  if (!existsSync(PACKED)) throw new Error(`${PACKED} is missing; run: npm run pack`);
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-install-'));
  const registry = await startRegistry({ root, packages: PACKED });
  const trial = new Trial(folder, { registry: registry.url, settings: { TRUNKLINE_LOG_LEVEL: 'warn' } });
  const began = performance.now();
  const since = (): number => (performance.now() - began) / 1000;
  try {
    await trial.install('trunkline');
    page.figure({ name: 'from `npm install` to its end', value: since(), unit: 's' });
    const url = await trial.serve();
    page.figure({
      name: 'from `npm install` to `ready`',
      value: since(),
      unit: 's',
      goal: { below: GOAL_S },
    });
    await firstCall(url);
    page.figure({ name: 'from `npm install` to the first transcript', value: since(), unit: 's' });
  } finally {
    await trial.stop();
    await registry.close();
    rmSync(folder, { recursive: true, force: true });
  }
  page.text(
    'The models are fetched by the first start (413 MB), as packages of the same registry. Each package lies on this machine: a real network adds its own time.',
  );
});
