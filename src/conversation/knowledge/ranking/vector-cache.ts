import { setImmediate } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { TenantScope } from '../../../foundation/access/contract.ts';
import { type Tables, withinTenant } from '../../../foundation/storage/index.ts';
import type { Nearest } from '../../../language/retrieval/index.ts';

export interface NearChunk {
  readonly number: number;
  readonly similarity: number;
}

/** The limit covers all bases together; the least recently used ones are evicted. */
const MOST_BYTES = 512 * 1024 * 1024;
const PAGE = 1_000;

/** Caches vectors in memory and reads only the changes since the last search from the database. */
export class VectorCache {
  readonly #nearest: Nearest;
  readonly #bases = new Map<string, CachedBase>();
  readonly #models = new Map<string, { readonly revision: number; readonly models: readonly string[] }>();

  constructor(nearest: Nearest) {
    this.#nearest = nearest;
  }

  /** The models whose vectors the documents of a base have. */
  async models(
    db: Kysely<Tables>,
    scope: TenantScope,
    { id, revision }: { readonly id: string; readonly revision: number },
  ): Promise<readonly string[]> {
    const known = this.#models.get(id);
    if (known !== undefined && known.revision >= revision) return known.models;
    const rows = await withinTenant(db, scope)
      .selectFrom('knowledge_documents')
      .select('vector_model')
      .distinct()
      .where('base_id', '=', id)
      .where('chunks', '>', 0)
      .execute();
    const models = rows.flatMap(({ vector_model: model }) => (model === null ? [] : [model])).sort();
    this.#models.set(id, { revision, models });
    for (const [key, { base, model }] of this.#bases)
      if (base === id && !models.includes(model)) this.#bases.delete(key);
    return models;
  }

  async find(
    db: Kysely<Tables>,
    scope: TenantScope,
    base: { readonly id: string; readonly revision: number; readonly model: string },
    query: Int8Array,
    most: number,
  ): Promise<NearChunk[]> {
    const key = `${base.id} ${base.model}`;
    const shelved = this.#bases.get(key) ?? new CachedBase(base.id, base.model, query.length);
    this.#bases.delete(key);
    this.#bases.set(key, shelved);
    await shelved.refresh(db, scope, base.revision);
    this.#evict(key);
    return shelved.find(this.#nearest, query, most);
  }

  forget(base: string): void {
    this.#models.delete(base);
    for (const [key, cached] of this.#bases) if (cached.base === base) this.#bases.delete(key);
  }

  get bytes(): number {
    return [...this.#bases.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #evict(except: string): void {
    for (const id of this.#bases.keys()) {
      if (this.bytes <= MOST_BYTES) return;
      if (id !== except) this.#bases.delete(id);
    }
  }
}

interface DocumentRows {
  readonly generation: number;
  readonly rows: readonly number[];
}

class CachedBase {
  readonly base: string;
  readonly model: string;
  /** The numbers of a vector of this model. */
  readonly #size: number;
  #revision = -1;
  #refreshing: Promise<void> = Promise.resolve();
  #vectors = new Int8Array(0);
  /** A 0 marks a deleted chunk. */
  #numbers = new Float64Array(0);
  #count = 0;
  #gone = 0;
  readonly #documents = new Map<string, DocumentRows>();

  constructor(base: string, model: string, size: number) {
    this.base = base;
    this.model = model;
    this.#size = size;
  }

  get bytes(): number {
    return this.#vectors.byteLength + this.#numbers.byteLength;
  }

  find(nearest: Nearest, query: Int8Array, most: number): NearChunk[] {
    return nearest(this.#vectors, this.#count, query, most)
      .map(({ row, similarity }) => ({ number: this.#numbers[row] ?? 0, similarity }))
      .filter(({ number }) => number !== 0);
  }

  /** One refresh runs at a time; concurrent searches wait for it. */
  async refresh(db: Kysely<Tables>, scope: TenantScope, revision: number): Promise<void> {
    const before = this.#refreshing;
    const mine = before.catch(() => undefined).then(() => this.#refresh(db, scope, revision));
    this.#refreshing = mine;
    await mine;
  }

  async #refresh(db: Kysely<Tables>, scope: TenantScope, revision: number): Promise<void> {
    if (revision <= this.#revision) return;
    const rows = await withinTenant(db, scope)
      .selectFrom('knowledge_documents')
      .select(['id', 'generation'])
      .where('base_id', '=', this.base)
      .where('chunks', '>', 0)
      .where('vector_model', '=', this.model)
      .execute();
    const current = new Map(rows.map(({ id, generation }) => [id, Number(generation)]));
    for (const [id, { generation }] of [...this.#documents])
      if (current.get(id) !== generation) this.#remove(id);
    const missing = [...current].filter(([id]) => !this.#documents.has(id));
    if (this.#documents.size === 0) await this.#readAll(db, scope, current);
    else for (const [id, generation] of missing) await this.#readDocument(db, scope, id, generation);
    this.#compact();
    this.#revision = revision;
  }

  async #readAll(
    db: Kysely<Tables>,
    scope: TenantScope,
    current: ReadonlyMap<string, number>,
  ): Promise<void> {
    const found = new Map<string, number[]>();
    for (let after = 0; ; ) {
      const rows = await withinTenant(db, scope)
        .selectFrom('knowledge_chunks')
        .select(['number', 'document_id', 'generation', 'vector'])
        .where('base_id', '=', this.base)
        .where('number', '>', after)
        .orderBy('number')
        .limit(PAGE)
        .execute();
      for (const row of rows)
        if (Number(row.generation) === current.get(row.document_id)) this.#append(row, found);
      // SQLite answers in the same turn of the event loop, so the loop yields.
      await setImmediate();
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) break;
      after = Number(last.number);
    }
    for (const [id, rows] of found) this.#documents.set(id, { generation: current.get(id) ?? -1, rows });
  }

  async #readDocument(db: Kysely<Tables>, scope: TenantScope, id: string, generation: number): Promise<void> {
    const found = new Map<string, number[]>([[id, []]]);
    const rows = await withinTenant(db, scope)
      .selectFrom('knowledge_chunks')
      .select(['number', 'document_id', 'vector'])
      .where('document_id', '=', id)
      .where('generation', '=', generation)
      .execute();
    await setImmediate();
    for (const row of rows) this.#append(row, found);
    this.#documents.set(id, { generation, rows: found.get(id) ?? [] });
  }

  #append(
    { number, document_id: document, vector }: { number: number; document_id: string; vector: Buffer | null },
    found: Map<string, number[]>,
  ): void {
    if (vector?.length !== this.#size) return;
    this.#grow();
    const { buffer, byteOffset } = vector;
    this.#vectors.set(new Int8Array(buffer, byteOffset, this.#size), this.#count * this.#size);
    this.#numbers[this.#count] = Number(number);
    const rows = found.get(document) ?? [];
    rows.push(this.#count);
    found.set(document, rows);
    this.#count += 1;
  }

  #grow(): void {
    if (this.#count < this.#numbers.length) return;
    const capacity = Math.max(256, Math.ceil(this.#count * 1.25));
    const vectors = new Int8Array(capacity * this.#size);
    vectors.set(this.#vectors);
    const numbers = new Float64Array(capacity);
    numbers.set(this.#numbers);
    this.#vectors = vectors;
    this.#numbers = numbers;
  }

  #remove(id: string): void {
    for (const row of this.#documents.get(id)?.rows ?? []) {
      this.#vectors.fill(0, row * this.#size, (row + 1) * this.#size);
      this.#numbers[row] = 0;
      this.#gone += 1;
    }
    this.#documents.delete(id);
  }

  #compact(): void {
    if (this.#gone * 2 < this.#count) return;
    const moved = new Map<number, number>();
    let to = 0;
    for (let row = 0; row < this.#count; row += 1) {
      if (this.#numbers[row] === 0) continue;
      this.#vectors.copyWithin(to * this.#size, row * this.#size, (row + 1) * this.#size);
      this.#numbers[to] = this.#numbers[row] as number;
      moved.set(row, to);
      to += 1;
    }
    this.#count = to;
    this.#gone = 0;
    for (const [id, { generation, rows }] of this.#documents)
      this.#documents.set(id, { generation, rows: rows.map((row) => moved.get(row) as number) });
  }
}
