import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  documentSourceKey,
  type Embedding,
  KnowledgeService,
  MEDIA_TYPES,
  newDocumentId,
} from '../../src/conversation/knowledge/index.ts';
import { tenantScopeOf } from '../../src/foundation/access/index.ts';
import { JobQueue } from '../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../src/foundation/platform/clock.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { UrlGate } from '../../src/foundation/platform/url-gate/index.ts';
import { type Blobs, openBlobs, openStorage, type Storage } from '../../src/foundation/storage/index.ts';
import { nearestVectors } from '../../src/main/knowledge.ts';
import { KnowledgeEmbedding } from '../../src/main/knowledge-embedding.ts';
import { openSoundAlikes } from '../../src/main/sound-alikes.ts';
import type { Engine } from '../../src/media/engine/index.ts';
import { AddedModels } from '../../src/speech/added-models/index.ts';

export const TENANT_SCOPE = tenantScopeOf({
  orgId: 'org_bench',
  projectId: 'prj_bench',
  environment: 'live',
});

export interface KnowledgeWorldOptions {
  readonly name: string;
  readonly bytes: Buffer;
  readonly format: keyof typeof MEDIA_TYPES;
}

export class World {
  readonly service: KnowledgeService;
  readonly #storage: Storage;
  readonly #blobs: Blobs;
  readonly #gate: UrlGate;

  private constructor(service: KnowledgeService, storage: Storage, blobs: Blobs, gate: UrlGate) {
    this.service = service;
    this.#storage = storage;
    this.#blobs = blobs;
    this.#gate = gate;
  }

  static async open(folder: string, engine: Engine, passages?: Embedding['passages']): Promise<World> {
    mkdirSync(folder, { recursive: true });
    const models = new Models();
    const storage = await openStorage({ dataDir: folder });
    const blobs = await openBlobs({ folder: join(folder, 'blobs') });
    const gate = new UrlGate({ allowLoopback: false });
    const spoken = openSoundAlikes(models);
    const embedding = new KnowledgeEmbedding(engine, models, new AddedModels(folder), console.error);
    if (passages !== undefined) embedding.passages = passages;
    const service = new KnowledgeService({
      storage,
      blobs,
      clock: systemClock,
      background: new BackgroundTasks({ clock: systemClock }),
      queue: new JobQueue(storage, systemClock),
      gate,
      webhooks: { publish: async () => null },
      embedding,
      nearest: nearestVectors,
      ...(spoken === null ? {} : { pronouncers: spoken }),
      onError: (error) => console.error(error),
    });
    return new World(service, storage, blobs, gate);
  }

  async base(name: string, language = 'en'): Promise<string> {
    const settings = { name, description: null, language };
    return (await this.service.bases.create(TENANT_SCOPE, settings, async () => {})).id;
  }

  async fill(base: string, documents: readonly KnowledgeWorldOptions[]): Promise<void> {
    const ids: string[] = [];
    for (const { name, bytes, format } of documents) {
      const id = newDocumentId();
      await this.#blobs.put(documentSourceKey(id), once(bytes), { payer: null });
      const row = { id, source: 'file', title: name, fileName: `${name}.${format}` } as const;
      const given = { ...row, mediaType: MEDIA_TYPES[format], bytes: bytes.length };
      await this.service.documents.add(TENANT_SCOPE, base, given, async () => {});
      ids.push(id);
    }
    this.service.start();
    for (const id of ids) await this.#indexed(base, id);
    await this.service.stop(10_000);
  }

  async #indexed(base: string, id: string): Promise<void> {
    for (;;) {
      const { status, error, title } = await this.service.documents.get(TENANT_SCOPE, base, id);
      if (status === 'indexed') return;
      if (status === 'failed') throw new Error(`${title}: ${error}`);
      await sleep(20);
    }
  }

  async ask(base: string, question: string, most: number) {
    const bases = await this.service.bases.among(TENANT_SCOPE, [base]);
    const asked = { question, most, onlyAbout: false };
    return await this.service.search.find(TENANT_SCOPE, bases, asked, new AbortController().signal);
  }

  async chunks(base: string): Promise<number> {
    return (await this.service.bases.get(TENANT_SCOPE, base)).chunks;
  }

  async close(): Promise<void> {
    await this.service.stop(0);
    await this.#gate.close();
    await this.#storage.close();
    await this.#blobs.close();
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export const removed = (folder: string): void => rmSync(folder, { recursive: true, force: true });
