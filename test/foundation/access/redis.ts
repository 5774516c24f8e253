import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { describe, it } from 'vitest';
import { freePort } from '../../free-port.ts';

export class TestRedis {
  readonly port: number;
  #child: ChildProcess | null = null;

  private constructor(port: number) {
    this.port = port;
  }

  static async start(): Promise<TestRedis> {
    const redis = new TestRedis(await freePort());
    await redis.restart();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  restart(): Promise<void> {
    const args = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.stdout.on('data', (chunk: Buffer) => {
        if (chunk.includes('Ready to accept connections')) resolve();
      });
    });
  }

  kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      child.on('exit', () => resolve());
      child.kill('SIGKILL');
    });
  }

  /** Redis keeps its connections and answers nothing. */
  hang(): void {
    this.#child?.kill('SIGSTOP');
  }

  wake(): void {
    this.#child?.kill('SIGCONT');
  }
}

/** Tests that need the real program are skipped by name without it; in CI that is a failure. */
export function withRedis(name: string, define: () => void): void {
  const there = spawnSync('redis-server', ['--version']).status === 0;
  if (there) describe(name, define);
  else if (process.env.CI === 'true') {
    it(name, () => {
      throw new Error('redis-server is not installed: CI must run the tests of shared limits.');
    });
  } else describe.skip(`${name}: skipped, redis-server is not installed`, define);
}
