import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import { createLog } from '../../src/foundation/platform/log.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { type CoreServices, createApplication, openCoreServices } from '../../src/main/main.ts';
import { findFfmpeg } from '../../src/media/codec/index.ts';
import {
  Engine,
  type EngineVoice,
  type SynthesizeOptions,
  speechSettings,
  synthesizeJob,
} from '../../src/media/engine/index.ts';
import { processorLevelEnvironment } from '../harness/index.ts';
import { samplesOf } from './sound.ts';

export class Stage {
  readonly url: string;
  readonly key: string;
  readonly #close: () => Promise<void>;
  readonly #ffmpeg = findFfmpeg(null, new Models())?.path ?? 'ffmpeg';

  private constructor(url: string, key: string, close: () => Promise<void>) {
    this.url = url;
    this.key = key;
    this.#close = close;
  }

  static async open(): Promise<Stage> {
    const data = mkdtempSync(join(tmpdir(), 'bench-speak-'));
    const config = loadConfig({
      TRUNKLINE_DATA: data,
      TRUNKLINE_PORT: '0',
      TRUNKLINE_LOG_LEVEL: 'silent',
      ...processorLevelEnvironment(),
    });
    const log = createLog({ level: 'silent' });
    const services = await openCoreServices(config, log);
    const key = await liveKey(services);
    await services.close();
    const application = await createApplication(config, log);
    const url = await application.server.listen();
    while (!(await isReady(url))) await sleep(100);
    return new Stage(url, key, async () => {
      await application.stop(0);
      rmSync(data, { recursive: true, force: true });
    });
  }

  async say(voice: string, input: string): Promise<Float32Array> {
    const response = await fetch(`${this.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ voice, response_format: 'pcm', input }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return samplesOf(new Uint8Array(await response.arrayBuffer()));
  }

  decode(mp3: Buffer): Promise<Buffer> {
    const flags = [
      '-hide_banner',
      '-loglevel',
      'quiet',
      '-i',
      'pipe:0',
      '-f',
      's16le',
      '-ar',
      '24000',
      'pipe:1',
    ];
    const program = spawn(this.#ffmpeg, flags, { stdio: ['pipe', 'pipe', 'ignore'] });
    program.stdin.end(mp3);
    program.stdin.on('error', () => {});
    const parts: Buffer[] = [];
    program.stdout.on('data', (part: Buffer) => parts.push(part));
    return new Promise((resolve, reject) => {
      program.once('error', reject);
      program.once('close', () => resolve(Buffer.concat(parts)));
    });
  }

  close(): Promise<void> {
    return this.#close();
  }
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`);
  const { parts } = (await response.json()) as { parts?: { name: string; ready: boolean }[] };
  return parts?.some(({ name, ready }) => name === 'engine synthesize' && ready) ?? response.ok;
}

async function liveKey({ access, billing, storage }: CoreServices): Promise<string> {
  const signup = { email: 'bench@example.com', password: 'a password of the benchmark' };
  const { organization, project } = await access.accounts.signUp(signup, '192.0.2.1');
  await storage.db.updateTable('plans').set({ rps: 1_000_000, burst: 1_000_000 }).execute();
  const key = await access.keys.create({
    orgId: organization.id,
    projectId: project.id,
    name: 'bench',
    environment: 'live',
    scopes: ['*'],
    budgetMicros: null,
    expiresAt: null,
    createdBy: null,
  });
  await billing.addCredit({ orgId: organization.id, amountMicros: 1_000_000_000 });
  return key.text;
}

export class Speaker {
  readonly engine: Engine;
  readonly #folder = mkdtempSync(join(tmpdir(), 'bench-voices-'));
  /** The engine alone does not keep the process alive. */
  readonly #awake = setInterval(() => {}, 60_000);

  constructor() {
    this.engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(this.#folder) });
  }

  async say(
    text: string,
    voice: EngineVoice,
    options: Partial<SynthesizeOptions> = {},
  ): Promise<Float32Array> {
    const job = this.engine.submit(
      synthesizeJob,
      { voice, rate: 24_000, format: 'pcm16', ...options },
      Buffer.from(text),
    );
    return samplesOf(await job.result());
  }

  close(): void {
    clearInterval(this.#awake);
    this.engine.destroy();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
