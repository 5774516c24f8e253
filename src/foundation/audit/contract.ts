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
/** The product itself is the actor of what no person or key requested. */
export const SYSTEM_ACTOR: AuditActor = { kind: 'system', id: 'trunkline', from: null, requestId: null };

type AuditSnapshot = Readonly<Record<string, unknown>>;

/** One change, told in the transaction that makes it. */
export interface AuditRecord {
  /** Entries about the whole deployment, such as a price or a plan, have an empty id. */
  readonly orgId: string;
  /** Entries about the whole organization have no place. */
  readonly place?: { readonly projectId: string; readonly environment: Environment | null };
  readonly by: AuditActor;
  /** `key.created`, `member.role_changed`: a noun, then what became of it. */
  readonly action: string;
  /** The id of what was changed. */
  readonly target: string;
  /**
   * The snapshots hold the changed fields without secrets or callers' words. `before` of a creation and `after`
   * of a deletion are null.
   */
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
