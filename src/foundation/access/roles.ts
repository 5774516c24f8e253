import type { AuditActor } from '../audit/index.ts';
import { ApiError, NoSuchError } from '../platform/errors.ts';
import { type Environment, type MemberRole, type Principal, ROLES, type TenantScope } from './contract.ts';
import { missingRole } from './refusals.ts';

export const isAtLeast = (role: MemberRole, needed: MemberRole): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(needed);

export function requireRole(principal: Principal, needed: MemberRole): void {
  if (principal.person !== null && !isAtLeast(principal.person.role, needed)) throw missingRole(needed);
}

export const reachesAllProjects = (role: MemberRole): boolean => isAtLeast(role, 'admin');

const tenantScope = (org: string, project: string, environment: Environment): TenantScope =>
  ({ org, project, environment }) as TenantScope;

export const tenantScopeOf = ({
  orgId,
  projectId,
  environment,
}: Pick<Principal, 'orgId' | 'projectId' | 'environment'>): TenantScope =>
  tenantScope(orgId, projectId, environment);

export const tenantScopeOfRow = (row: {
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: Environment;
}): TenantScope => tenantScope(row.org_id, row.project_id, row.environment);

export interface ChosenScope {
  readonly project_id?: string | undefined;
  readonly environment?: Environment | undefined;
}

/** A person chooses the project and environment; a key has its own and can choose no other. */
export function tenantScopeIn(principal: Principal, { project_id, environment }: ChosenScope): TenantScope {
  const own = tenantScopeOf(principal);
  const project = project_id ?? own.project;
  const { person } = principal;
  const mayEnter =
    person === null ? project === own.project : person.projects === null || person.projects.includes(project);
  if (!mayEnter) throw noSuchProject();
  if (person === null && environment !== undefined && environment !== own.environment) {
    throw new ApiError('invalid_request', `environment must be the key’s own, ${own.environment}.`, {
      param: 'environment',
    });
  }
  return tenantScope(own.org, project, environment ?? own.environment);
}

export const noSuchProject = (): ApiError =>
  new NoSuchError('project in your organization', { param: 'project_id' });

export function auditActorOf(principal: Principal, from: string, requestId: string): AuditActor {
  if (principal.kind === 'user') return { kind: 'user', id: principal.userId ?? '', from, requestId };
  if (principal.kind === 'operator') return { kind: 'operator', id: 'operator', from, requestId };
  return { kind: 'key', id: principal.keyId ?? principal.credentialId, from, requestId };
}
