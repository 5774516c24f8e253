import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { IdempotencyStore } from '../../../../src/edge/server/index.ts';
import { createCastSurface } from '../../../../src/edge/surfaces/cast/index.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import type { Engine } from '../../../../src/media/engine/index.ts';
import { afterEach } from '../../../helper-hooks.ts';
import { sharedEngine } from '../../../media/engine/shared-engine.ts';
import { pollDelay } from '../../../poll.ts';
import { bearer, start } from '../../server/fixtures/start.ts';
import { absent, type OpenOptions, openService } from './node.ts';

export { absent, ffmpeg } from './node.ts';

if (absent && process.env.CI === 'true') throw new Error(`absent: ${absent}`);

let engine: Engine | undefined;
export function castEngine(): () => Engine {
  beforeAll(async () => {
    if (absent) return;
    engine = sharedEngine();
    await engine.prepared();
  }, 180_000);
  afterAll(() => engine?.destroy());
  return () => engine!;
}
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers.
export type Json = any;

export async function openCast(speaking: Engine, options: OpenOptions = {}) {
  const opened = await openService(speaking, options);
  const { service, storage, access, folder } = opened;
  const surface = createCastSurface(service);
  const { url } = await start({
    access,
    surfaces: [options.idle === true ? { ...surface, start: async () => {} } : surface],
    idempotencyStore: new IdempotencyStore(storage, systemClock),
  });
  undo.push(async () => {
    await opened.close();
    await rm(folder, { recursive: true, force: true });
  });
  return new Cast(url, opened);
}

const ENDED = ['completed', 'failed', 'cancelled'];

export class Cast {
  readonly url: string;
  readonly opened: Awaited<ReturnType<typeof openService>>;

  constructor(url: string, opened: Awaited<ReturnType<typeof openService>>) {
    this.url = url;
    this.opened = opened;
  }

  send(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.url}/v1/cast${path}`, {
      method,
      headers: { ...bearer, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  }

  async ask(method: string, path: string, body?: object): Promise<Json> {
    const response = await this.send(method, path, body);
    const json = (await response.json()) as Json;
    expect(response.status, JSON.stringify(json).slice(0, 500)).toBeLessThan(300);
    return json;
  }

  async refusal(method: string, path: string, body?: object): Promise<string> {
    const response = await this.send(method, path, body);
    const { error } = (await response.json()) as Json;
    return `${response.status} ${error?.code} ${error?.param}`;
  }

  make = (body: object): Promise<Json> => this.ask('POST', '/projects', body);

  async ended(id: string): Promise<Json> {
    for (;;) {
      const render = await this.ask('GET', `/renders/${id}`);
      if (ENDED.includes(render.status)) return render;
      await pollDelay();
    }
  }

  async render(project: string, body: object = {}): Promise<Json> {
    const { id } = await this.ask('POST', `/projects/${project}/renders`, body);
    const render = await this.ended(id);
    expect(render, JSON.stringify(this.opened.faults)).toMatchObject({ status: 'completed', error: null });
    const reported = this.opened.webhooks.reported.filter(({ resource }) => resource === id);
    expect(reported).toMatchObject([{ type: 'cast.render.completed', data: { project_id: project } }]);
    return render;
  }

  async audio(render: string, query = ''): Promise<Buffer> {
    const response = await this.send('GET', `/renders/${render}/audio${query}`);
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  }

  async billed(): Promise<number[]> {
    const rows = await this.opened.storage.db.selectFrom('usage_events').select('milliseconds').execute();
    return rows.map(({ milliseconds }) => Number(milliseconds));
  }
}
