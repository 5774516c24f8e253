import { type FieldMatch, MANUAL_REVIEW, type MissingItem } from '../contract.ts';
import { ageInDays } from '../formats/dates.ts';
import type { SnapshotDocument, SnapshotField } from '../registry/snapshot.ts';
import { type Dossier, type Evidence, evidenceFor, isUnfinished } from './dossier.ts';
import { documentsThatCount, groupsWithout, needOf } from './needs.ts';

export function missingOf(dossier: Dossier, matches: readonly FieldMatch[], now: number): MissingItem[] {
  return [
    ...groupsWithout(dossier).map(ofGroup),
    ...documentsThatCount(dossier).flatMap((document) => ofDocument(dossier, document, now)),
    ...matches.filter(({ result }) => result === 'mismatch').map(ofMatch),
    ...ofAttestations(dossier),
    ...dossier.talk.asked_back.map((message) => ({ code: 'network_asked_back', message })),
  ];
}

/** Any document of the group is sufficient: the item refers to the first and lists all. */
const ofGroup = (documents: readonly SnapshotDocument[]): MissingItem => ({
  code: 'document_missing',
  message: `${documents.map(({ label }) => label).join(' or ')}: no document has been uploaded; one of them is needed.`,
  document_request_id: documents[0]!.id,
});

function ofDocument(dossier: Dossier, document: SnapshotDocument, now: number): MissingItem[] {
  const { id, label, required } = document;
  const evidence = evidenceFor(dossier, id);
  if (evidence === null) {
    const message = `${label}: no document has been uploaded.`;
    return required ? [{ code: 'document_missing', message, document_request_id: id }] : [];
  }
  const at = { document_request_id: id, upload_id: evidence.upload.id };
  return [...ofScan(document, evidence), ...ofReading(document, evidence, dossier, now)].map((one) => ({
    ...one,
    ...at,
  }));
}

const SCAN_CODES: Readonly<Record<string, string>> = {
  pending: 'malware_scan_pending',
  infected: 'malware_found',
  unscannable: 'malware_scan_impossible',
};

function ofScan({ label }: SnapshotDocument, { upload }: Evidence): MissingItem[] {
  const code = SCAN_CODES[upload.malware_status];
  if (code === undefined) return [];
  const said = {
    pending: upload.malware_detail ?? 'it has not been scanned for malware yet',
    infected: 'malware was found in it, and its content was deleted; upload another file',
    unscannable: upload.malware_detail ?? 'the malware scanner could not scan it; upload another file',
  }[upload.malware_status];
  return [{ code, message: `${label}: ${said}.` }];
}

function ofReading(
  document: SnapshotDocument,
  { extraction, upload }: Evidence,
  dossier: Dossier,
  now: number,
): MissingItem[] {
  const { label, fields } = document;
  if (upload.malware_status === 'infected') return [];
  if (isUnfinished(extraction))
    return [{ code: 'extraction_running', message: `${label}: it is being processed.` }];
  if (extraction.status !== 'succeeded' && extraction.fields.length === 0) {
    const code = extraction.failure_reason ?? 'extraction_failed';
    return [{ code, message: `${label}: ${REASONS[code] ?? 'it could not be read.'}` }];
  }
  return fields.flatMap((rule) => ofField(document, rule, dossier, extraction.fields, now));
}

export const REASONS: Readonly<Record<string, string>> = {
  wall_clock_exceeded:
    'the time limit for processing has expired; enter its fields as corrections, or upload it again.',
  cost_exceeded: 'processing it would exceed the cost limit; enter its fields as corrections.',
  unreadable: 'it is damaged, encrypted or of an unsupported type; upload another file.',
  active_content: 'it contains scripts or embedded files; upload a copy without them.',
  no_text: 'no text was found in it; upload a sharper copy.',
  too_large: 'it has too many pages, words or pixels; upload a smaller copy.',
  ocr_unavailable:
    'it is an image, and this server has no tesseract; upload a PDF with text, or enter its fields as corrections.',
  extraction_failed: 'it could not be read; enter its fields as corrections, or upload it again.',
  superseded: 'another file replaced it.',
};

function ofField(
  { label }: SnapshotDocument,
  rule: SnapshotField,
  dossier: Dossier,
  fields: Evidence['extraction']['fields'],
  now: number,
): MissingItem[] {
  const { field, max_age_days: most } = rule;
  const least = dossier.snapshot.config.thresholds.field;
  const because = needOf(dossier, rule, fields);
  const found = fields.find((each) => each.field === field);
  const notify = (code: string, said: string): MissingItem[] => [
    { code, message: `${label}: ${field} ${said}.`, field },
  ];
  if (found === undefined) return because === null ? [] : notify('field_missing', `was not found${because}`);
  if (found.invalid)
    return because === null ? [] : notify('field_invalid', `does not have a valid format${because}`);
  if (found.confidence < least)
    return notify(
      'field_uncertain',
      `was read with a confidence of ${found.confidence.toFixed(2)}; the minimum is ${least}`,
    );
  if (most === null) return [];
  const age = ageInDays(found.value, now);
  if (age < -1) return notify('date_ahead', 'lies ahead');
  return age > most ? notify('document_too_old', `is ${age} days ago; the limit is ${most} days`) : [];
}

const ofMatch = ({ id, reason, left, right }: FieldMatch): MissingItem => ({
  code: 'mismatch',
  message: `${left} and ${right}: ${reason}`,
  match_id: id,
});

const ofAttestations = ({ snapshot, attestations }: Dossier): MissingItem[] =>
  snapshot.config.attestations
    .filter(
      ({ id, required }) => required && !attestations.some((each) => each.attestation_request_id === id),
    )
    .map(({ id, text }) => {
      const isReview = id === MANUAL_REVIEW;
      const who = isReview
        ? ' A signed-in owner or admin of the organization must release it; API keys cannot.'
        : '';
      return {
        code: isReview ? 'manual_review_required' : 'attestation_missing',
        message: `Not attested yet: ${text}${who}`,
        attestation_request_id: id,
      };
    });
