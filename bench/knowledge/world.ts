/** A room of bases with a database and files of its own. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EmbedChunks,
  KnowledgeRoom,
  MEDIA_TYPES,
  newDocumentId,
  sourceKey,
} from '../../src/conversation/knowledge/index.ts';
import { reachOf } from '../../src/foundation/access/index.ts';
import { JobQueue } from '../../src/foundation/jobs/index.ts';
import { systemClock } from '../../src/foundation/platform/clock.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { UrlGate } from '../../src/foundation/platform/url-gate/index.ts';
import { type Blobs, openBlobs, openStorage, type Storage } from '../../src/foundation/storage/index.ts';
import { embedChunks, embedQuestion, nearest } from '../../src/main/knowledge.ts';
import { spokenWords } from '../../src/main/spoken-words.ts';
import type { Engine } from '../../src/media/engine/index.ts';

export const REACH = reachOf({ orgId: 'org_bench', projectId: 'prj_bench', environment: 'live' });

export interface Given {
  readonly name: string;
  readonly bytes: Buffer;
  readonly format: keyof typeof MEDIA_TYPES;
}

export class World {
  readonly room: KnowledgeRoom;
  readonly #storage: Storage;
  readonly #blobs: Blobs;
  readonly #gate: UrlGate;

  private constructor(room: KnowledgeRoom, storage: Storage, blobs: Blobs, gate: UrlGate) {
    this.room = room;
    this.#storage = storage;
    this.#blobs = blobs;
    this.#gate = gate;
  }

  static async open(folder: string, engine: Engine, embed?: EmbedChunks): Promise<World> {
    mkdirSync(folder, { recursive: true });
    const models = new Models();
    const storage = await openStorage({ dataDir: folder });
    const blobs = await openBlobs({ folder: join(folder, 'blobs') });
    const gate = new UrlGate({ allowLoopback: false });
    const spoken = spokenWords(models);
    const room = new KnowledgeRoom({
      storage,
      blobs,
      clock: systemClock,
      queue: new JobQueue(storage, systemClock),
      gate,
      webhooks: { publish: async () => null },
      embedChunks: embed ?? embedChunks(engine, models),
      embedQuestion: embedQuestion(engine, models),
      nearest,
      ...(spoken === null ? {} : { spoken }),
      onError: (error) => console.error(error),
    });
    return new World(room, storage, blobs, gate);
  }

  async base(name: string): Promise<string> {
    const settings = { name, description: null, language: 'en' };
    return (await this.room.bases.create(REACH, settings, async () => {})).id;
  }

  /** Resolves once all of them are indexed. */
  async fill(base: string, documents: readonly Given[]): Promise<void> {
    const ids: string[] = [];
    for (const { name, bytes, format } of documents) {
      const id = newDocumentId();
      await this.#blobs.put(sourceKey(id), once(bytes), { payer: null });
      const row = { id, source: 'file', title: name, fileName: `${name}.${format}` } as const;
      const given = { ...row, mediaType: MEDIA_TYPES[format], bytes: bytes.length };
      await this.room.documents.add(REACH, base, given, async () => {});
      ids.push(id);
    }
    this.room.start();
    for (const id of ids) await this.#indexed(base, id);
    await this.room.stop(10_000);
  }

  async #indexed(base: string, id: string): Promise<void> {
    for (;;) {
      const { status, error, title } = await this.room.documents.get(REACH, base, id);
      if (status === 'indexed') return;
      if (status === 'failed') throw new Error(`${title}: ${error}`);
      await sleep(20);
    }
  }

  async ask(base: string, question: string, most: number) {
    const bases = await this.room.bases.among(REACH, [base]);
    const asked = { question, most, onlyAbout: false };
    return await this.room.search.find(REACH, bases, asked, new AbortController().signal);
  }

  async chunks(base: string): Promise<number> {
    return (await this.room.bases.get(REACH, base)).chunks;
  }

  async close(): Promise<void> {
    await this.room.stop(0);
    await this.#gate.close();
    await this.#storage.close();
    await this.#blobs.close();
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export const removed = (folder: string): void => rmSync(folder, { recursive: true, force: true });
