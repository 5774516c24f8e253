import type { Kysely } from 'kysely';
import type { Sealer, TenantScope } from '../../../foundation/access/index.ts';
import { type Tables, withinTenant } from '../../../foundation/storage/index.ts';
import type {
  ComplianceCaseRow,
  ComplianceCorrectionRow,
  ComplianceExtractionRow,
  ComplianceUploadRow,
} from '../../../foundation/storage/tables/compliance.ts';
import type { Attestation, NetworkExchange, ReadField } from '../contract.ts';
import type { RulesSnapshot } from '../registry/snapshot.ts';

export type Extraction = Omit<ComplianceExtractionRow, 'fields'> & { readonly fields: readonly ReadField[] };

export interface Dossier {
  readonly row: ComplianceCaseRow;
  readonly snapshot: RulesSnapshot;
  readonly attestations: readonly Attestation[];
  readonly talk: NetworkExchange;
  readonly uploads: readonly ComplianceUploadRow[];
  readonly extractions: readonly Extraction[];
  readonly corrections: readonly ComplianceCorrectionRow[];
}

/** An upload and its extraction. A newer upload of the same request replaces it. */
export interface Evidence {
  readonly upload: ComplianceUploadRow;
  readonly extraction: Extraction;
}

export const fieldsPlace = (extraction: string): string => `compliance fields ${extraction}`;

export function openFields(sealer: Sealer, row: ComplianceExtractionRow): Extraction {
  const fields =
    row.fields === null ? [] : (JSON.parse(sealer.open(row.fields, fieldsPlace(row.id))) as ReadField[]);
  return { ...row, fields };
}

export async function loadDossier(
  db: Kysely<Tables>,
  sealer: Sealer,
  scope: TenantScope,
  id: string,
): Promise<Dossier | null> {
  const mine = withinTenant(db, scope);
  const row = await mine.selectFrom('compliance_cases').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) return null;
  const uploads = await mine
    .selectFrom('compliance_uploads')
    .selectAll()
    .where('case_id', '=', id)
    .orderBy('uploaded_at')
    .orderBy('generation')
    .orderBy('id')
    .execute();
  const extractions = await mine
    .selectFrom('compliance_extractions')
    .selectAll()
    .where('case_id', '=', id)
    .execute();
  const corrections = await mine
    .selectFrom('compliance_corrections')
    .selectAll()
    .where('case_id', '=', id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return {
    row,
    snapshot: JSON.parse(row.rules_snapshot) as RulesSnapshot,
    attestations: JSON.parse(row.attestations) as Attestation[],
    talk: JSON.parse(row.network) as NetworkExchange,
    uploads,
    extractions: extractions.map((each) => openFields(sealer, each)),
    corrections,
  };
}

export function evidenceFor({ uploads, extractions }: Dossier, request: string): Evidence | null {
  const upload = uploads
    .filter((each) => each.document_request_id === request)
    .reduce<ComplianceUploadRow | null>(
      (newest, each) => (newest === null || each.generation > newest.generation ? each : newest),
      null,
    );
  const extraction = extractions.find(({ upload_id }) => upload_id === upload?.id);
  return upload === null || extraction === undefined ? null : { upload, extraction };
}

export const isUnfinished = ({ status }: Pick<Extraction, 'status'>): boolean =>
  status === 'queued' || status === 'running';
