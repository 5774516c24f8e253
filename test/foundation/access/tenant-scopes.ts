import { type TenantScope, tenantScopeOf } from '../../../src/foundation/access/index.ts';

/** The tenant scope of a principal of these ids, for stores that are tested without access control. */
export const scopeFor = (
  orgId: string,
  place: { readonly projectId?: string; readonly environment?: 'live' | 'sandbox' } = {},
): TenantScope => tenantScopeOf({ projectId: 'proj_1', environment: 'live', ...place, orgId });
