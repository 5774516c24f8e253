import { type TenantScope, tenantScopeOf } from '../../../src/foundation/access/index.ts';

/** The borders of a principal of these ids, for stores that are tried without a door in front of them. */
export const scopeFor = (
  orgId: string,
  place: { readonly projectId?: string; readonly environment?: 'live' | 'sandbox' } = {},
): TenantScope => tenantScopeOf({ projectId: 'proj_1', environment: 'live', ...place, orgId });
