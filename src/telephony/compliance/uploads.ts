import type { Readable } from 'node:stream';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { type AuditActor, appendAuditRecord, auditScope } from '../../foundation/audit/index.ts';
import type { JobQueue, Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import { type Blobs, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import { actorOf } from './cases.ts';
import type { AssessedCase, CaseService } from './evidence/case-service.ts';
import { type Dossier, type Evidence, evidenceFor, isUnfinished } from './evidence/dossier.ts';
import { documentsThatCount } from './evidence/needs.ts';
import { HEAD_BYTES, kindOf, TAIL_BYTES } from './evidence/sniff.ts';
import { withdraw } from './evidence/withdraw.ts';
import { withoutPersonal } from './masking.ts';
import type { SnapshotDocument } from './registry/snapshot.ts';
import { extractId, scanId, scanJob } from './running/jobs.ts';

export interface UploadsDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly caseService: CaseService;
}

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface OpenedDocument {
  readonly mimeType: string;
  readonly bytes: number;
  readonly stream: Readable;
}

export const BLOB_AREA = 'compliance';
export const uploadKey = (id: string, upload: string) => ({ area: BLOB_AREA, owner: id, name: upload });
/** The limit over all rules; each request has its own. */
export const MOST_BYTES = 25 * 1024 * 1024;

export class Uploads {
  readonly #deps: UploadsDeps;

  constructor(deps: UploadsDeps) {
    this.#deps = deps;
  }

  async store(scope: TenantScope, id: string, name: string, bytes: Readable): Promise<StoredFile> {
    const upload = newId('up');
    const payer = { orgId: scope.org, environment: scope.environment };
    const stored = await this.#deps.blobs.put(uploadKey(id, upload), bytes, { maxBytes: MOST_BYTES, payer });
    return { id: upload, name: name.slice(0, 255), ...stored };
  }

  async open(scope: TenantScope, id: string, upload: string, by: AuditActor): Promise<OpenedDocument> {
    const { storage, caseService, blobs, clock } = this.#deps;
    const { uploads } = await caseService.read(storage.db, scope, id);
    const found = uploads.find((each) => each.id === upload);
    if (found === undefined) throw new ApiError('not_found', 'The case has no such document.');
    const isGone = found.removed_at !== null || found.malware_status === 'infected';
    const body = isGone ? null : await blobs.get(uploadKey(id, upload));
    if (body === null) throw new ApiError('not_found', 'The content of the document was deleted.');
    await storage.transaction((trx) =>
      appendAuditRecord(trx, clock.now(), {
        ...auditScope(scope),
        by,
        action: 'compliance_document.read',
        target: id,
        before: null,
        after: { upload_id: upload },
      }),
    );
    const { mime_type: mimeType, size_bytes: bytes } = found;
    return { mimeType, bytes: Number(bytes), stream: body.stream };
  }

  discard(id: string, file: StoredFile): Promise<void> {
    return this.#deps.blobs.delete(uploadKey(id, file.id));
  }

  /** Throws ApiError, and then deletes the bytes. A repeated upload of the same bytes changes nothing. */
  async add(
    scope: TenantScope,
    id: string,
    expected: number | null,
    request: string,
    file: StoredFile,
    by: AuditActor,
  ): Promise<AssessedCase> {
    const { storage, caseService } = this.#deps;
    try {
      const mimeType = await this.#mimeType(id, file);
      const { looked, used } = await storage.transaction(async (trx) => {
        const dossier = await caseService.begin(trx, scope, id, expected);
        const document = accepts(dossier, request, mimeType, file);
        const before = evidenceFor(dossier, document.id);
        const counts = documentsThatCount(dossier).some((each) => each.id === document.id);
        const same = counts && before?.upload.sha256 === file.sha256 && isOfUse(before);
        if (!same) await this.#write(trx, scope, dossier, before, { document, mimeType, file, by });
        return { looked: await caseService.look(scope, id, trx), used: !same };
      });
      if (!used) await this.discard(id, file);
      return looked;
    } catch (error) {
      await this.discard(id, file);
      throw error;
    }
  }

  async #mimeType(id: string, { id: upload, bytes }: StoredFile): Promise<string> {
    const part = async (first: number, last: number): Promise<Buffer> => {
      if (last < first) return Buffer.alloc(0);
      const body = await this.#deps.blobs.get(uploadKey(id, upload), { first, last });
      const parts: Buffer[] = [];
      if (body !== null) for await (const chunk of body.stream) parts.push(chunk as Buffer);
      return Buffer.concat(parts);
    };
    const head = await part(0, Math.min(bytes, HEAD_BYTES) - 1);
    const tail = await part(Math.max(0, bytes - TAIL_BYTES), bytes - 1);
    const kind = kindOf({ head, tail });
    if (kind.kind === 'known') return kind.mimeType;
    const what =
      kind.kind === 'polyglot'
        ? 'The file is damaged, or is valid as two file types at once.'
        : 'The content of the file is not a PDF, PNG or JPEG.';
    throw new ApiError('unsupported_media_type', what, { param: 'file' });
  }

  async #write(
    trx: Trx,
    scope: TenantScope,
    { row, snapshot, uploads }: Dossier,
    before: Evidence | null,
    given: { document: SnapshotDocument; mimeType: string; file: StoredFile; by: AuditActor },
  ): Promise<void> {
    const { clock, queue, caseService } = this.#deps;
    const { document, mimeType, file, by } = given;
    const mine = withinTenant(trx, scope);
    if (before !== null) await this.#supersede(trx, scope, before);
    const generation = (before?.upload.generation ?? 0) + 1;
    await mine
      .insertInto('compliance_uploads', {
        id: file.id,
        case_id: row.id,
        document_request_id: document.id,
        generation,
        file_name: withoutPersonal(file.name),
        mime_type: mimeType,
        size_bytes: file.bytes,
        sha256: file.sha256,
        malware_status: 'pending',
        // The times are increasing even if the nodes' clocks differ, because the last upload of a group counts.
        uploaded_at: Math.max(clock.now(), Number(uploads.at(-1)?.uploaded_at ?? 0) + 1),
      })
      .execute();
    await mine
      .insertInto('compliance_extractions', {
        id: newId('ext'),
        case_id: row.id,
        upload_id: file.id,
        status: 'queued',
        attempts: 0,
        cost_micros: 0,
      })
      .execute();
    await queue.enqueue(trx, {
      ...scanJob(scope, row.id, file.id),
      maxAttempts: snapshot.config.retry.scan,
    });
    const detail = {
      document_request_id: document.id,
      upload_id: file.id,
      generation,
      sha256: file.sha256,
    };
    const note = { type: 'document.uploaded', by: actorOf(by), detail };
    await caseService.settle(trx, scope, row.id, note, await withdraw(trx, queue, row));
  }

  async #supersede(trx: Trx, scope: TenantScope, { upload, extraction }: Evidence): Promise<void> {
    if (upload.malware_status !== 'infected') await this.#deps.queue.cancel(trx, scanId(upload.id));
    if (!isUnfinished(extraction)) return;
    await this.#deps.queue.cancel(trx, extractId(extraction.id));
    await withinTenant(trx, scope)
      .updateTable('compliance_extractions')
      .set({ status: 'cancelled', failure_reason: 'superseded', cost_micros: 0 })
      .where('id', '=', extraction.id)
      .execute();
  }
}

/** An upload that could be neither read nor scanned is processed again when it is sent again. */
const isOfUse = ({ upload, extraction }: Evidence): boolean =>
  extraction.status !== 'failed' && upload.malware_status !== 'unscannable';

function accepts(dossier: Dossier, request: string, mimeType: string, file: StoredFile): SnapshotDocument {
  const { documents } = dossier.snapshot.config;
  const document = documents.find(({ id }) => id === request);
  if (document === undefined) {
    const known = documents.map(({ id }) => id).join(', ') || 'none';
    throw new ApiError('invalid_request', `The case requests these documents: ${known}.`, {
      param: 'document_request_id',
    });
  }
  if (!document.accepted_mime_types.includes(mimeType)) {
    const wanted = document.accepted_mime_types.join(', ');
    throw new ApiError('unsupported_media_type', `The document must be ${wanted}.`, { param: 'file' });
  }
  if (file.bytes > document.max_bytes) {
    throw new ApiError('payload_too_large', `The document can have at most ${document.max_bytes} bytes.`, {
      param: 'file',
    });
  }
  return document;
}
