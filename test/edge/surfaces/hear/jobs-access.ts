import type { Principal } from '../../../../src/foundation/access/contract.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';

export class JobsAccess extends OneKeyAccess {
  entitlements: readonly string[] = ['trace'];
  orgId = 'org_00000000000000000000';
  jobUpload = { bytes: 50_000_000, seconds: 3600 };
  environment: 'live' | 'sandbox' = 'sandbox';

  override principal(): Principal {
    const principal = super.principal();
    return {
      ...principal,
      orgId: this.orgId,
      environment: this.environment,
      entitlements: this.entitlements as Principal['entitlements'],
      limits: { ...principal.limits, jobUpload: this.jobUpload },
    };
  }
}
