import type { Environment } from '../tenancy/index.ts';

/** Who does something, and from where: what the log says of it beside the deed itself. */
export interface AuditActor {
  readonly kind: 'user' | 'key' | 'operator' | 'system';
  readonly id: string;
  /** The network address; null: this machine. */
  readonly from: string | null;
  readonly requestId: string | null;
}

/** The command line of whoever runs the server. */
export const COMMAND_LINE_ACTOR: AuditActor = {
  kind: 'operator',
  id: 'command line',
  from: null,
  requestId: null,
};
/** What the product does by itself. */
export const SYSTEM_ACTOR: AuditActor = { kind: 'system', id: 'trunkline', from: null, requestId: null };

type AuditSnapshot = Readonly<Record<string, unknown>>;

/** One change, told in the transaction that makes it. */
export interface AuditRecord {
  /** Empty: of the whole deployment (a price, a plan). */
  readonly orgId: string;
  /** Absent: of the whole organization. */
  readonly place?: { readonly projectId: string; readonly environment: Environment | null };
  readonly by: AuditActor;
  /** `key.created`, `member.role_changed`: a noun, then what became of it. */
  readonly action: string;
  /** The id of what was changed. */
  readonly target: string;
  /** What changed, without secrets and without words of callers; null: there was nothing, or there is nothing more. */
  readonly before: AuditSnapshot | null;
  readonly after: AuditSnapshot | null;
}

export interface AuditEntry {
  readonly id: string;
  readonly sequence: number;
  readonly at: number;
  readonly actor: { readonly kind: AuditActor['kind']; readonly id: string };
  readonly from: string | null;
  readonly action: string;
  readonly target: string;
  readonly before: AuditSnapshot | null;
  readonly after: AuditSnapshot | null;
  readonly requestId: string | null;
  readonly hash: string;
}
