import type { Blobs } from '../../../foundation/storage/index.ts';
import type { CaseKind, Country } from '../contract.ts';
import { type Dossier, evidenceFor } from '../evidence/dossier.ts';
import { documentsThatCount } from '../evidence/needs.ts';
import { uploadKey } from '../uploads.ts';
import type { PacketDocument, SubmissionPacket } from './contract.ts';

export function packetOf(dossier: Dossier, blobs: Blobs): SubmissionPacket {
  const { row, snapshot, attestations } = dossier;
  return {
    case_id: row.id,
    idempotency_key: `${row.id}.${row.version}`,
    kind: row.kind as CaseKind,
    country: row.country as Country,
    number_type: row.number_type,
    capabilities: JSON.parse(row.capabilities) as string[],
    use_case: row.use_case,
    registry_version: snapshot.registry_version,
    documents: documentsThatCount(dossier).flatMap(({ id }) => documentOf(dossier, id, blobs)),
    attestations: attestations.map(({ attestation_request_id }) => attestation_request_id),
  };
}

function documentOf(dossier: Dossier, request: string, blobs: Blobs): PacketDocument[] {
  const evidence = evidenceFor(dossier, request);
  if (evidence === null) return [];
  const { upload, extraction } = evidence;
  return [
    {
      document_type: request,
      file_name: upload.file_name,
      mime_type: upload.mime_type,
      size_bytes: Number(upload.size_bytes),
      sha256: upload.sha256,
      fields: Object.fromEntries(extraction.fields.map(({ field, value }) => [field, value])),
      bytes: async () => {
        const body = await blobs.get(uploadKey(upload.case_id, upload.id));
        if (body === null) throw new Error(`the content of ${upload.id} is no longer available`);
        return body.stream as AsyncIterable<Uint8Array>;
      },
    },
  ];
}
