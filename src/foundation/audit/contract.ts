import type { Environment, TenantScope } from '../tenancy/index.ts';

export interface AuditActor {
  readonly kind: 'user' | 'key' | 'operator' | 'system';
  readonly id: string;
  /** Null means this machine. */
  readonly from: string | null;
  readonly requestId: string | null;
}

export const COMMAND_LINE_ACTOR: AuditActor = {
  kind: 'operator',
  id: 'command line',
  from: null,
  requestId: null,
};
export const SYSTEM_ACTOR: AuditActor = { kind: 'system', id: 'trunkline', from: null, requestId: null };

type AuditSnapshot = Readonly<Record<string, unknown>>;

export interface AuditRecord {
  /** Entries about the whole deployment, such as a price or a plan, have an empty id. */
  readonly orgId: string;
  readonly place?: { readonly projectId: string; readonly environment: Environment | null };
  readonly by: AuditActor;
  /** The action is a noun, then what happened to it: `key.created`, `member.role_changed`. */
  readonly action: string;
  readonly target: string;
  /**
   * The snapshots hold the changed fields without secrets or callers' words. `before` of a creation and `after` of a
   * deletion are null.
   */
  readonly before: AuditSnapshot | null;
  readonly after: AuditSnapshot | null;
}

/** The organization and the place of an entry about something of the tenant. */
export const auditScope = (scope: TenantScope): Pick<AuditRecord, 'orgId' | 'place'> => ({
  orgId: scope.org,
  place: { projectId: scope.project, environment: scope.environment },
});

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
