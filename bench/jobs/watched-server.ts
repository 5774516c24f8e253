/**
 * The product runs in a process of its own, on a folder that outlives it: the benchmark kills, restarts and observes
 * it.
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';

export interface Watch {
  readonly looks: readonly { readonly progress: number; readonly rss: number }[];
  readonly peak: number;
}

export interface StoredRow {
  readonly start: number;
  readonly end: number;
  readonly document: string;
}

const PROGRAM = new URL('../hear/server.js', import.meta.url);

export class WatchedServer {
  readonly #data: string;
  readonly #env: Record<string, string | undefined>;
  #key: string | null = null;
  #child: ChildProcess | null = null;
  #url = '';
  #looks: { progress: number; rss: number }[] = [];
  #peak = 0;

  constructor(folder: string) {
    this.#data = join(folder, 'data');
    this.#env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TRUNKLINE_DATA: this.#data,
      TRUNKLINE_LOG_LEVEL: 'error',
    };
  }

  async start(): Promise<void> {
    this.#key ??= this.#makeKey();
    this.#looks = [];
    this.#peak = 0;
    const child = fork(PROGRAM, { env: this.#env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const [answer] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
    if (typeof answer !== 'string') throw new Error(`the server ended with ${String(answer)}`);
    this.#child = child;
    this.#url = answer;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#child = null;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#key}` };
    const answer = await fetch(`${this.#url}${path}`, { ...init, headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  look(progress: number): void {
    const status = readFileSync(`/proc/${this.#child?.pid}/status`, 'utf8');
    const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
    this.#looks.push({ progress, rss: bytes('VmRSS') });
    this.#peak = bytes('VmHWM');
  }

  watch(): Watch {
    return { looks: this.#looks, peak: this.#peak };
  }

  stretches(id: string): readonly StoredRow[] {
    const database = new Database(join(this.#data, 'trunkline.db'), { readonly: true });
    try {
      const rows = database
        .prepare(
          'select end_ms, document from transcription_segments where job_id = ? order by channel, sequence',
        )
        .all(id) as { end_ms: number; document: string }[];
      return rows.map(({ end_ms, document }) => ({
        start: (JSON.parse(document) as { start: number }).start,
        end: end_ms / 1000,
        document,
      }));
    } finally {
      database.close();
    }
  }

  #makeKey(): string {
    const made = spawnSync(process.execPath, [fileURLToPath(PROGRAM), 'key'], {
      env: this.#env,
      encoding: 'utf8',
    });
    const key = made.stdout.trim();
    if (!key.startsWith('svc_live_')) throw new Error(`no key: ${made.stderr}`);
    return key;
  }
}
