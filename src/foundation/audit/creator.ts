import type { AuditActor } from './contract.ts';

/** It serves the audit alone: a revoked key or a removed person changes nothing about the resource. */
export interface Creator {
  readonly kind: 'key' | 'user';
  readonly id: string;
}

/** Returns the value of a `created_by` column. It is null for the product itself and the operator. */
export const creatorColumn = ({ kind, id }: AuditActor): string | null =>
  kind === 'key' || kind === 'user' ? JSON.stringify({ kind, id } satisfies Creator) : null;

export const creatorOf = (column: string | null): Creator | null =>
  column === null ? null : (JSON.parse(column) as Creator);
