import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  KnowledgeService,
  type PageOcr,
  type Pronouncers,
} from '../../../../src/conversation/knowledge/index.ts';
import { VectorRenewal } from '../../../../src/conversation/knowledge/vector-renewal.ts';
import { IdempotencyStore } from '../../../../src/edge/server/index.ts';
import { createKnowledgeSurface } from '../../../../src/edge/surfaces/knowledge/index.ts';
import { JobQueue } from '../../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { type Clock, systemClock } from '../../../../src/foundation/platform/clock.ts';
import { Models } from '../../../../src/foundation/platform/models/index.ts';
import { UrlGate } from '../../../../src/foundation/platform/url-gate/index.ts';
import {
  openBlobs,
  openStorage,
  QuotaBlobs,
  type Storage,
  type StorageOptions,
} from '../../../../src/foundation/storage/index.ts';
import { nearestVectors } from '../../../../src/main/knowledge.ts';
import { KnowledgeEmbedding } from '../../../../src/main/knowledge-embedding.ts';
import { openSoundAlikes } from '../../../../src/main/sound-alikes.ts';
import { AddedModels } from '../../../../src/speech/added-models/index.ts';
import { type CheckedWebhooks, outboxOn } from '../../../foundation/webhooks/checked.ts';
import { afterEach } from '../../../helper-hooks.ts';
import { engineWith } from '../../../media/engine/engine-with.ts';
import { pollDelay } from '../../../poll.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { start } from '../../server/fixtures/start.ts';

export const models = new Models();
export const spoken = () => openSoundAlikes(models);
export const absent = models.status('minilm-l6').ready ? '' : 'minilm-l6';
export const multilingualAbsent = models.status('e5-small').ready ? '' : 'e5-small';
if (absent && process.env.CI === 'true') throw new Error(`absent: ${absent}`);

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

export const meaning = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(models.wholeFiles()).filter(([path]) => /^(minilm-l6|e5-small)\//.test(path)),
  );

export interface Json {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers.
  [name: string]: any;
}

export interface OpenOptions {
  readonly database?: Pick<StorageOptions, 'databaseUrl' | 'dataDir'>;
  readonly wordsAlone?: boolean;
  readonly spoken?: Pronouncers;
  readonly scans?: PageOcr;
  /** The organization's file quota in bytes; there is none by default. */
  readonly quota?: number;
  readonly clock?: Clock;
  /** The folder of the models that the operator added. */
  readonly data?: string;
}

export async function openKnowledge(options: OpenOptions = {}) {
  const { clock = systemClock } = options;
  const engine = engineWith();
  if (absent === '') await engine.prepared();
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-'));
  const storage: Storage = await openStorage(options.database ?? { dataDir: folder });
  const blobs = new QuotaBlobs({
    blobs: await openBlobs({ folder: join(folder, 'blobs') }),
    storage,
    clock,
    quota: async () => options.quota ?? null,
  });
  const gate = new UrlGate({ allowLoopback: true });
  const faults: Error[] = [];
  const webhooks = outboxOn(storage, clock);
  const embedding = new KnowledgeEmbedding(engine, models, new AddedModels(options.data ?? folder), (error) =>
    faults.push(error),
  );
  if (options.wordsAlone) {
    embedding.passages = async () => [];
    embedding.question = async () => null;
  }
  const service = new KnowledgeService({
    storage,
    blobs,
    clock,
    background: new BackgroundTasks({ clock }),
    queue: new JobQueue(storage, clock),
    gate,
    webhooks,
    embedding,
    nearest: nearestVectors,
    ...(options.spoken === undefined ? {} : { pronouncers: options.spoken }),
    ...(options.scans === undefined ? {} : { ocr: options.scans }),
    pauseMs: 0,
    onError: (error) => faults.push(error),
  });
  const access = new OneKeyAccess();
  const surface = createKnowledgeSurface({ knowledge: service, blobs, gate });
  const { url } = await start({
    access,
    surfaces: [surface],
    idempotencyStore: new IdempotencyStore(storage, clock),
  });
  undo.push(async () => {
    await service.stop(0);
    await gate.close();
    await storage.close();
    await blobs.close();
    await rm(folder, { recursive: true, force: true });
  });
  const renewalBy = (clock: Clock) => {
    const background = new BackgroundTasks({ clock, onFailure: ({ error }) => faults.push(error) });
    const renewal = new VectorRenewal({ storage, clock, embedding, background });
    renewal.start();
    return renewal;
  };
  return Object.assign(
    new Knowledge(url, storage, blobs, service, access, faults, folder, webhooks.reported),
    { renewalBy },
  );
}

export class Knowledge {
  readonly url: string;
  readonly storage: Storage;
  readonly blobs: QuotaBlobs;
  readonly service: KnowledgeService;
  readonly access: OneKeyAccess;
  readonly faults: readonly Error[];
  readonly folder: string;
  readonly reported: CheckedWebhooks['reported'];

  constructor(
    url: string,
    storage: Storage,
    blobs: QuotaBlobs,
    service: KnowledgeService,
    access: OneKeyAccess,
    faults: readonly Error[],
    folder: string,
    reported: CheckedWebhooks['reported'],
  ) {
    this.reported = reported;
    this.url = url;
    this.storage = storage;
    this.blobs = blobs;
    this.service = service;
    this.access = access;
    this.faults = faults;
    this.folder = folder;
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const isForm = body instanceof FormData;
    const response = await fetch(`${this.url}/v1/knowledgebases${path}`, {
      method,
      headers: {
        authorization: `Bearer ${OneKeyAccess.KEY}`,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json: Json = text.startsWith('{') ? (JSON.parse(text) as Json) : {};
    return { status: response.status, json, text };
  }

  async base(settings: Json = {}): Promise<string> {
    const { json } = await this.send('POST', '', { name: 'Manual', ...settings });
    return json.id as string;
  }

  async text(base: string, title: string, text: string): Promise<Json> {
    return await this.settled(base, (await this.send('POST', `/${base}/documents`, { title, text })).json);
  }

  async file(base: string, name: string, bytes: string | Uint8Array, type = ''): Promise<Json> {
    const form = new FormData();
    form.append('file', new Blob([bytes as string], { type }), name);
    return await this.settled(base, (await this.send('POST', `/${base}/documents`, form)).json);
  }

  async page(base: string, url: string, more: Json = {}): Promise<Json> {
    return await this.settled(base, (await this.send('POST', `/${base}/documents`, { url, ...more })).json);
  }

  async settled(base: string, document: Json): Promise<Json> {
    if (typeof document.id !== 'string') throw new Error(JSON.stringify(document));
    for (;;) {
      const { json } = await this.send('GET', `/${base}/documents/${document.id}`);
      if (json.status === 'indexed' || json.status === 'failed') return json;
      if (json.status === undefined) throw new Error(JSON.stringify(json));
      await pollDelay();
    }
  }

  async query(base: string, query: string, top_k = 5): Promise<Json[]> {
    const { json } = await this.send('POST', `/${base}/query`, { query, top_k });
    return json.passages as Json[];
  }
}
