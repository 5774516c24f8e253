import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { dataFolder, Running } from '../running-server.ts';

export interface ResourceUsage {
  readonly residentMiB: number;
  readonly handles: number;
  readonly threads: number;
}

const ADDRESS = /(http:\/\/127\.0\.0\.1:\d+)/;
const READY = /^ready /;
const ENDING_MS = 60_000;

interface ServedOptions {
  readonly environment?: Record<string, string>;
  readonly data?: string;
  readonly early?: boolean;
  readonly through?: readonly [string, ...string[]] | [];
}

export class ServerProcess {
  readonly url: string;
  readonly data: string;
  readonly running: Running;

  private constructor(running: Running, url: string, data: string) {
    this.running = running;
    this.url = url;
    this.data = data;
  }

  static async start({
    environment = {},
    data = dataFolder(),
    early = false,
    through = [],
  }: ServedOptions = {}) {
    const running = new Running(['serve'], { TRUNKLINE_DATA: data, ...environment }, through);
    const [, url] = await running.line(ADDRESS);
    if (!early) await running.line(READY);
    return new ServerProcess(running, url!, data);
  }

  get pid(): number {
    return this.running.child.pid!;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get log(): Record<string, unknown>[] {
    return this.running.lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  }

  get faults(): Record<string, unknown>[] {
    return this.log.filter(({ level }) => level === 'error' || level === 'fatal');
  }

  /** Makes a sandbox key; `network` is the owner's network by a trusted proxy. */
  async key(network?: string): Promise<string> {
    const headers: Record<string, string> = network ? { 'x-forwarded-for': network } : {};
    const minted = await fetch(`${this.url}/v1/sandbox/keys`, { method: 'POST', headers });
    expect(minted.status).toBe(201);
    return ((await minted.json()) as { api_key: string }).api_key;
  }

  level(): ResourceUsage {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    return {
      residentMiB: number('VmRSS') / 1024,
      threads: number('Threads'),
      handles: readdirSync(`/proc/${this.pid}/fd`).length,
    };
  }

  /** Resolves when the process holds no more than before: files exactly, memory within `moreMiB`. */
  async backTo(before: ResourceUsage, moreMiB: number): Promise<void> {
    const look = () => {
      const { residentMiB, handles, threads } = this.level();
      return {
        handles: Math.max(handles, before.handles),
        threads: Math.max(threads, before.threads),
        moreMiB: Math.max(0, Math.ceil(residentMiB - before.residentMiB - moreMiB)),
      };
    };
    await expect
      .poll(look, { timeout: ENDING_MS, interval: 200 })
      .toEqual({ handles: before.handles, threads: before.threads, moreMiB: 0 });
  }

  async end(): Promise<number | null> {
    this.running.child.kill('SIGTERM');
    return this.running.code();
  }

  async kill(): Promise<void> {
    this.running.child.kill('SIGKILL');
    await this.running.code();
  }
}
