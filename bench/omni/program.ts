import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = new URL('../../../', import.meta.url).pathname;

export class Program {
  readonly url: string;
  readonly key: string;
  readonly #child: ChildProcess;
  readonly #data: string;

  private constructor(child: ChildProcess, data: string, url: string, key: string) {
    this.#child = child;
    this.#data = data;
    this.url = url;
    this.key = key;
  }

  static async start(environment: Record<string, string>): Promise<Program> {
    const data = mkdtempSync(join(tmpdir(), 'bench-omni-'));
    const env = {
      ...process.env,
      TRUNKLINE_DATA: data,
      TRUNKLINE_PORT: '0',
      TRUNKLINE_LOG_LEVEL: 'error',
      ...environment,
    };
    const key = await mintKey(env);
    const child = spawn(process.execPath, ['scripts/trunkline.mjs', 'serve'], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: child.stdout! })) {
      const ready = /^ready (\S+)/.exec(line);
      if (ready?.[1] !== undefined) return new Program(child, data, ready[1], key);
    }
    throw new Error('the server did not become ready');
  }

  async speak(input: string, voice: string, speed = 1): Promise<Int16Array | null> {
    const response = await fetch(`${this.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input, voice, speed, response_format: 'pcm', sample_rate: 8000 }),
    });
    if (!response.ok) return null;
    const bytes = await response.arrayBuffer();
    return new Int16Array(bytes.slice(0, bytes.byteLength & ~1));
  }

  async transcribe(wav: Buffer, language: string): Promise<string> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(wav)]), 'heard.wav');
    form.append('language', language);
    const response = await fetch(`${this.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}` },
      body: form,
    });
    if (!response.ok) throw new Error(`transcription: ${response.status}`);
    return ((await response.json()) as { text: string }).text;
  }

  /** Returns when each of the agent's speeches began to play, by the record of an ended call. */
  async agentStarts(callId: string): Promise<number[]> {
    const ask = () =>
      fetch(`${this.url}/v1/omni/calls/${callId}`, { headers: { authorization: `Bearer ${this.key}` } });
    let response = await ask();
    // The record is written a moment after the connection has closed.
    for (let tries = 0; !response.ok && tries < 50; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      response = await ask();
    }
    if (!response.ok) throw new Error(`no record: ${response.status}`);
    const record = (await response.json()) as {
      transcript: { entries: { role: string; start_ms: number }[] };
    };
    return record.transcript.entries
      .filter(({ role }) => role === 'agent')
      .map(({ start_ms: startMs }) => startMs);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  async cpuSeconds(): Promise<number> {
    const fields = (await readFile(`/proc/${this.#child.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await gone;
    rmSync(this.#data, { recursive: true, force: true });
  }
}

async function mintKey(env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(
    process.execPath,
    ['scripts/trunkline.mjs', 'keys', 'create', '--live', '--scopes', '*', '--credit', '100'],
    { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let out = '';
  for await (const chunk of child.stdout!) out += chunk;
  const key = /svc_live_\w+/.exec(out)?.[0];
  if (key === undefined) throw new Error('no key was made');
  return key;
}
