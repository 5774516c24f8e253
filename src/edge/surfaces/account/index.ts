import type { AccessService } from '../../../foundation/access/index.ts';
import type { BillingService } from '../../../foundation/billing/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import type { AnonymousExpiry } from '../../../foundation/privacy/index.ts';
import type { QuotaBlobs, Storage } from '../../../foundation/storage/index.ts';
import type { Surface } from '../../server/surface.ts';
import { auditRoutes } from './audit-routes.ts';
import { authRoutes } from './auth-routes.ts';
import { billingRoutes } from './billing-routes.ts';
import { deletionRoutes } from './deletion-routes.ts';
import { emailLinkRoutes } from './email-link-routes.ts';
import { identityRoutes } from './identity-routes.ts';
import { invitationLinkRoutes } from './invitation-link-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { oidcRoutes } from './oidc-routes.ts';
import { passwordRoutes } from './password-routes.ts';
import { peopleRoutes } from './people-routes.ts';
import { entitlementRoutes, planRoutes } from './plan-routes.ts';
import { priceRoutes } from './price-routes.ts';
import { recipientRoutes } from './recipient-routes.ts';
import { sessionKeyRoutes } from './session-key-routes.ts';

export interface AccountDeps {
  readonly access: AccessService;
  readonly billing: BillingService;
  readonly clock: Clock;
  readonly storage: Storage;
  readonly files: Pick<QuotaBlobs, 'used'>;
  /** Deleting a project or an organization deletes its data as well. */
  readonly expiry: {
    readonly tenantDeletion: Pick<
      AnonymousExpiry['tenantDeletion'],
      'requireNoLegalHold' | 'deleteProject' | 'deleteOrganization'
    >;
  };
  readonly baseUrl: () => string;
  readonly webrtc: { readonly off: string | null };
}

export function createAccountSurface(deps: AccountDeps): Surface {
  const { access, billing, clock, storage } = deps;
  return {
    name: 'account',
    routes: (app) => {
      authRoutes(app, access, clock);
      keyRoutes(app, access, clock);
      sessionKeyRoutes(app, access);
      identityRoutes(app, deps);
      billingRoutes(app, billing, clock);
      deletionRoutes(app, deps);
      peopleRoutes(app, access, deps.baseUrl);
      oidcRoutes(app, access, clock, deps.baseUrl);
      invitationLinkRoutes(app, access, clock);
      passwordRoutes(app, access);
      emailLinkRoutes(app, access);
      recipientRoutes(app, access);
      auditRoutes(app, storage);
      planRoutes(app, access);
      entitlementRoutes(app, access);
      priceRoutes(app, billing);
    },
  };
}
