import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileProgram, dataFolder, root } from '../running-server.ts';
import { descendants, type Process, processes } from './processes.ts';

beforeAll(compileProgram, 120_000);

const isAlive = (pid: number): boolean => processes().some((one) => one.pid === pid);

/** `npm start` runs with every process below it, in a process group of its own like that of a terminal. */
class NpmStart {
  readonly npm: ChildProcess;
  output = '';
  #tree: Process[] = [];

  constructor() {
    const { PATH, HOME } = process.env;
    this.npm = spawn('npm', ['start'], {
      cwd: root,
      detached: true,
      env: { PATH, HOME, TRUNKLINE_DATA: dataFolder(), TRUNKLINE_PORT: '0', TRUNKLINE_LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.npm.stdout!, this.npm.stderr!])
      stream.on('data', (chunk) => {
        this.output += chunk;
      });
  }

  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.output);
      if (match) return match;
      if (this.npm.exitCode !== null) throw new Error(`ended without ${pattern}: ${this.output}`);
      await Promise.race([once(this.npm.stdout!, 'data'), once(this.npm, 'exit')]);
    }
  }

  tree(): Process[] {
    const all = processes();
    this.#tree = all.filter(({ pid }) => pid === this.npm.pid).concat(descendants(this.npm.pid!, all));
    return this.#tree;
  }

  chain(): Process[] {
    const tree = this.tree();
    const server = tree.findIndex(({ command }) => /^\S*node scripts\/start\.mjs/.test(command));
    expect(server).toBeGreaterThan(0);
    return tree.slice(0, server + 1);
  }

  async allEnded(): Promise<void> {
    await expect
      .poll(() => this.#tree.filter(({ pid }) => isAlive(pid)), { timeout: 60_000, interval: 100 })
      .toEqual([]);
  }

  killAll(): void {
    for (const { pid } of this.#tree) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    this.npm.kill('SIGKILL');
  }
}

const ADDRESS = /(http:\/\/127\.0\.0\.1:\d+)/;

async function started(run: (start: NpmStart, url: string) => Promise<void>): Promise<void> {
  const start = new NpmStart();
  try {
    const [, url] = await start.says(ADDRESS);
    start.tree();
    await run(start, url!);
    await start.allEnded();
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    expect(start.output.match(/"draining"/g)).toHaveLength(1);
    expect(start.output).not.toMatch(/"exiting without draining"/);
  } finally {
    start.killAll();
  }
}

describe('npm start', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'drains its server and ends with 0 when npm’s own process gets %s',
    async (signal) => {
      await started(async (start) => {
        process.kill(start.npm.pid!, signal);
        const [code] = await once(start.npm, 'exit');
        expect(code).toBe(0);
      });
    },
    120_000,
  );

  it('drains once at Ctrl-C, which reaches every process at once and the server twice', async () => {
    await started(async (start) => {
      process.kill(-start.npm.pid!, 'SIGINT');
      const [code] = await once(start.npm, 'exit');
      expect(code).toBe(0);
    });
  }, 120_000);

  it('drains when its terminal is closed', async () => {
    await started(async (start) => {
      process.kill(-start.npm.pid!, 'SIGHUP');
    });
  }, 120_000);

  it('drains when npm is killed and can pass nothing on', async () => {
    await started(async (start) => {
      process.kill(start.npm.pid!, 'SIGKILL');
    });
  }, 120_000);

  it('drains and ends whole, whichever process between npm and the server gets SIGTERM', async () => {
    for (let place = 1, places = 2; place < places; place++) {
      await started(async (start) => {
        const chain = start.chain();
        places = chain.length;
        process.kill(chain[place]!.pid, 'SIGTERM');
      });
    }
  }, 240_000);
});
