import type { AccessRoom } from '../../access/index.ts';
import type { BillingRoom } from '../../billing/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Surface } from '../../server/surface.ts';
import { authRoutes } from './auth-routes.ts';
import { billingRoutes } from './billing-routes.ts';
import { identityRoutes } from './identity-routes.ts';
import { keyRoutes } from './key-routes.ts';

export interface AccountDeps {
  readonly access: AccessRoom;
  readonly billing: BillingRoom;
  readonly clock: Clock;
  /** The public address of this server. */
  readonly baseUrl: () => string;
}

/** Accounts, sign-in, keys, origins, identity and money. */
export function createAccountSurface(deps: AccountDeps): Surface {
  const { access, billing, clock } = deps;
  return {
    name: 'account',
    routes: (app) => {
      authRoutes(app, access, clock);
      keyRoutes(app, access, clock);
      identityRoutes(app, deps);
      billingRoutes(app, billing, clock);
    },
  };
}
