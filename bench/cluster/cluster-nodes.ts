import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '../../src/apps/caller/index.ts';
import { freePort } from './free-port.ts';

/** Benchmarks run in the folder of the repository. */
export const ROOT = process.cwd();

/** An error of a node quotes so much of the end of what it wrote. */
const QUOTED_CHARACTERS = 4_000;

/** JavaScript of the process reads the time ten minutes ahead. The machine's clock stays as it is. */
const AHEAD = `data:text/javascript,${encodeURIComponent(
  `const now = Date.now.bind(Date);
   const Real = Date;
   globalThis.Date = class Date extends Real {
     constructor(...given) { given.length > 0 ? super(...given) : super(now() + 600_000); }
     static now() { return now() + 600_000; }
   };`,
)}`;

const PROGRAM =
  "const { main } = await import('./dist/apps/cli/index.js'); process.exitCode = await main(process.argv.slice(1));";

export const programArguments = (...args: readonly string[]): string[] => [
  '--input-type=module',
  '-e',
  PROGRAM,
  '--',
  ...args,
];

export class ClusterNode {
  readonly port: number;
  readonly agentCheckPort: number;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #data: string;
  #child: ChildProcess | null = null;
  #written = '';

  private constructor(settings: Readonly<Record<string, string>>, port: number, agentCheckPort: number) {
    this.port = port;
    this.agentCheckPort = agentCheckPort;
    this.#data = mkdtempSync(join(tmpdir(), 'cluster-node-'));
    this.#settings = settings;
  }

  static async make(settings: Readonly<Record<string, string>>): Promise<ClusterNode> {
    return new ClusterNode(settings, await freePort(), await freePort());
  }

  start({ isAhead = false } = {}): void {
    const args = isAhead ? ['--import', AHEAD] : [];
    const child = spawn(process.execPath, [...args, ...programArguments('serve')], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        ...this.#settings,
        TRUNKLINE_DATA: this.#data,
        TRUNKLINE_PORT: String(this.port),
        TRUNKLINE_AGENT_CHECK_PORT: String(this.agentCheckPort),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#written = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (process.env.TRUNKLINE_BENCH_LOG) process.stderr.write(text);
        if (this.#child === child) this.#written = (this.#written + text).slice(-QUOTED_CHARACTERS);
      });
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Resolves when the node has ended: until then it counts as running, and another start would find its port taken. */
  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child!, 'exit');
    this.signal(signal);
    await ended;
  }

  async isReady(): Promise<boolean> {
    const answer = await this.get('/readyz');
    return answer?.status === 200;
  }

  async ready(): Promise<void> {
    while (!(await this.isReady())) {
      if (!this.isRunning) throw await this.#endedEarly();
      await pause(200);
    }
  }

  async #endedEarly(): Promise<Error> {
    const { exitCode, signalCode, stdout, stderr } = this.#child!;
    await Promise.all([stdout!, stderr!].map((stream) => stream.closed || once(stream, 'close')));
    const how = signalCode ?? `exit status ${exitCode}`;
    return new Error(
      `the node at port ${this.port} ended before it was ready (${how}): ${this.#written.trim()}`,
    );
  }

  /** Resolves with null where the node does not answer. */
  async get(path: string): Promise<{ status: number; text: string } | null> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, {
        signal: AbortSignal.timeout(2_000),
      });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return null;
    }
  }

  async liveCalls(): Promise<number> {
    const answer = await this.get('/metrics');
    return Number(/^trunkline_sockets\{path="\/v1\/omni"\} (\d+)/m.exec(answer?.text ?? '')?.[1] ?? 0);
  }

  remove(): void {
    this.signal('SIGCONT');
    this.signal('SIGKILL');
    rmSync(this.#data, { recursive: true, force: true });
  }
}
