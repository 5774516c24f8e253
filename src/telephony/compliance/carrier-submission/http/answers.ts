import Type, { type Static, type TSchema } from 'typebox';
import Value from 'typebox/value';
import { withoutPersonal } from '../../masking.ts';
import type { Evaluation, Review } from '../contract.ts';

const MOST_WORDS = 500;
const Words = Type.String({ minLength: 1 });

const Accepted = Type.Object({
  status: Type.Literal('accepted'),
  reference: Type.String({ pattern: '^[A-Za-z0-9._:-]{1,128}$' }),
});
const AsksBack = Type.Object({
  status: Type.Literal('asks_back'),
  reasons: Type.Array(Words, { minItems: 1, maxItems: 20 }),
});
const Reviewed = Type.Object({
  status: Type.Enum(['pending_review', 'in_review', 'approved', 'rejected']),
  reason: Type.Optional(Type.Union([Words, Type.Null()])),
});

const has = <T extends TSchema>(schema: T, value: unknown): value is Static<T> => Value.Check(schema, value);

const redacted = (words: string): string => withoutPersonal(words).slice(0, MOST_WORDS);

export function evaluationOf(json: unknown): Evaluation | null {
  if (has(Accepted, json)) return { kind: 'accepted', reference: json.reference };
  if (has(AsksBack, json)) return { kind: 'asks_back', reasons: json.reasons.map(redacted) };
  return null;
}

export function reviewOf(json: unknown): Review | null {
  if (!has(Reviewed, json)) return null;
  return { status: json.status, reason: json.reason == null ? null : redacted(json.reason) };
}
