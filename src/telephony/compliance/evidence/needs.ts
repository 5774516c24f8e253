import { OF_THE_CASE } from '../registry/schema.ts';
import type { SnapshotDocument, SnapshotField } from '../registry/snapshot.ts';
import type { Dossier, Evidence } from './dossier.ts';

/**
 * The last upload of alternative documents counts and the others are ignored. A group without uploads has no document
 * that counts.
 */
export function documentsThatCount({ snapshot, uploads }: Dossier): SnapshotDocument[] {
  const { documents } = snapshot.config;
  return documents.filter(({ id, one_of: group }) => {
    if (group == null) return true;
    const others = documents.filter((each) => each.one_of === group).map((each) => each.id);
    return uploads.findLast((each) => others.includes(each.document_request_id))?.document_request_id === id;
  });
}

export function groupsWithout(dossier: Dossier): SnapshotDocument[][] {
  const counting = documentsThatCount(dossier);
  const absent = dossier.snapshot.config.documents.filter(
    ({ one_of: group }) => group != null && !counting.some((each) => each.one_of === group),
  );
  const names = [...new Set(absent.map((each) => each.one_of))];
  return names.map((name) => absent.filter((each) => each.one_of === name));
}

export function needOf(
  { row }: Dossier,
  { required, required_when: condition }: SnapshotField,
  fields: Evidence['extraction']['fields'],
): string | null {
  if (required) return '';
  if (condition == null) return null;
  const { field, equals } = condition;
  const value =
    field === OF_THE_CASE
      ? row.number_type
      : fields.find((each) => each.field === field && each.invalid === undefined)?.value;
  return value === equals ? `; it is required because ${field} is ${equals}` : null;
}
