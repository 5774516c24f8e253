import type { AuditActor } from './contract.ts';

/** Who made a resource. It serves the audit alone: a revoked key or a removed person changes nothing about it. */
export interface Creator {
  readonly kind: 'key' | 'user';
  readonly id: string;
}

/** The value of a `created_by` column; null: the product itself or the operator made it. */
export const creatorColumn = ({ kind, id }: AuditActor): string | null =>
  kind === 'key' || kind === 'user' ? JSON.stringify({ kind, id } satisfies Creator) : null;

export const creatorOf = (column: string | null): Creator | null =>
  column === null ? null : (JSON.parse(column) as Creator);
