import type { Storage } from '../storage/index.ts';
import type { Principal } from './contract.ts';

export interface PrincipalDescription {
  readonly organization: { readonly id: string; readonly name: string };
  readonly project: { readonly id: string; readonly name: string };
  readonly budgetMicros: number | null;
}

export async function describePrincipal(
  storage: Storage,
  principal: Principal,
): Promise<PrincipalDescription> {
  const row = await storage.db
    .selectFrom('projects as p')
    .innerJoin('organizations as o', 'o.id', 'p.org_id')
    .leftJoin('api_keys as k', (join) => join.on('k.id', '=', principal.keyId ?? ''))
    .select(['o.id as org_id', 'o.name as org_name', 'p.id as project_id', 'p.name as project_name'])
    .select('k.budget_micros')
    .where('p.id', '=', principal.projectId)
    .executeTakeFirstOrThrow();
  return {
    organization: { id: row.org_id, name: row.org_name },
    project: { id: row.project_id, name: row.project_name },
    budgetMicros: row.budget_micros,
  };
}
