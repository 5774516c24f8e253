import type { FieldMatch, MatchResult, ReadField } from '../contract.ts';
import { type Dossier, evidenceFor } from '../evidence/dossier.ts';
import { documentsThatCount } from '../evidence/needs.ts';
import type { MatchRule } from '../registry/schema.ts';
import type { SnapshotConfig } from '../registry/snapshot.ts';
import { addressSimilarity } from './addresses.ts';
import { nameSimilarity } from './names.ts';

interface Outcome {
  readonly score: number;
  readonly holds: boolean;
  readonly reason: string;
}

type Thresholds = SnapshotConfig['thresholds'];

const bare = (text: string): string => text.toUpperCase().replace(/[^0-9A-Z]/g, '');
const DAY_MS = 24 * 3600 * 1000;

function compare(rule: MatchRule, left: string, right: string, thresholds: Thresholds): Outcome {
  switch (rule.kind) {
    case 'name': {
      const score = nameSimilarity(left, right);
      const holds = score >= thresholds.name;
      return { score, holds, reason: holds ? 'The names agree.' : 'The names differ.' };
    }
    case 'address': {
      const score = addressSimilarity(left, right);
      const holds = score >= thresholds.address;
      return { score, holds, reason: holds ? 'The addresses agree.' : 'The addresses differ.' };
    }
    case 'number': {
      const holds = bare(left) === bare(right);
      return {
        score: Number(holds),
        holds,
        reason: holds ? 'The numbers are the same.' : 'The numbers differ.',
      };
    }
    case 'part': {
      const holds = bare(right).includes(bare(left));
      return {
        score: Number(holds),
        holds,
        reason: holds ? 'The one holds the other.' : 'The one does not hold the other.',
      };
    }
    case 'date':
      return dates(rule, left, right);
  }
}

function dates({ within_days: most = 0 }: MatchRule, left: string, right: string): Outcome {
  const days = Math.abs(Date.parse(right) - Date.parse(left)) / DAY_MS;
  const holds = days <= most;
  const reason = `The dates are ${days} days apart; the limit is ${most} days.`;
  return { score: Number(holds), holds, reason };
}

export const matchesOf = (dossier: Dossier): FieldMatch[] =>
  rulesOf(dossier).map((rule) => matchOf(dossier, rule));

/** A rule about a document that is superseded by an alternative does not apply. */
function rulesOf(dossier: Dossier): readonly MatchRule[] {
  const { documents, matches } = dossier.snapshot.config;
  const counting = documentsThatCount(dossier);
  const aside = documents.filter(
    ({ id, one_of: group }) =>
      group != null && counting.some((each) => each.one_of === group && each.id !== id),
  );
  return matches.filter(({ left, right }) =>
    [left, right].every((path) => !aside.some(({ id }) => path.startsWith(`${id}.`))),
  );
}

function matchOf(dossier: Dossier, rule: MatchRule): FieldMatch {
  const { id, kind, left, right } = rule;
  const [one, other] = [left, right].map((path) => fieldAt(dossier, path));
  const detail = { id, kind, left, right };
  if (one == null || other == null) {
    const absent = one == null ? left : right;
    return { ...detail, result: 'unknown', score: 0, reason: `${absent} has not been read.` };
  }
  const { score, holds, reason } = compare(rule, one.value, other.value, dossier.snapshot.config.thresholds);
  const result: MatchResult = holds ? 'match' : 'mismatch';
  return { ...detail, result, score: Math.round(score * 1000) / 1000, reason };
}

function fieldAt(dossier: Dossier, path: string): ReadField | null {
  const [request, name] = path.split('.') as [string, string];
  const fields = evidenceFor(dossier, request)?.extraction.fields ?? [];
  return fields.find(({ field, invalid }) => field === name && invalid === undefined) ?? null;
}
