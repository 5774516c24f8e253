import { type TenantScope, tenantScopeOf } from '../../../src/foundation/access/index.ts';

export const scopeFor = (
  orgId: string,
  place: { readonly projectId?: string; readonly environment?: 'live' | 'sandbox' } = {},
): TenantScope => tenantScopeOf({ projectId: 'proj_1', environment: 'live', ...place, orgId });
