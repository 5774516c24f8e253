import type { RequestCredentials } from '../../../src/foundation/access/contract.ts';
import {
  type AccessOptions,
  type AccessService,
  createAccess,
  type IssuedKey,
} from '../../../src/foundation/access/index.ts';
import { type BillingService, createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import { makeOrganization, type TestOrganization } from '../billing/organization.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { DEPLOYMENT_SEALER } from './deployment-sealer.ts';

export const NOON = Date.UTC(2026, 10, 21, 12);
export const OPERATOR_TOKEN = 'operator token of the tests';

export const presented = (more: Partial<RequestCredentials> = {}): RequestCredentials => ({
  authorization: undefined,
  apiKeyHeader: undefined,
  apiKeyQuery: undefined,
  protocols: [],
  cookie: undefined,
  origin: undefined,
  host: 'voice.example',
  remoteAddress: '203.0.113.7',
  ...more,
});

export const bearer = (text: string, more: Partial<RequestCredentials> = {}): RequestCredentials =>
  presented({ authorization: `Bearer ${text}`, ...more });

export interface TestService {
  readonly access: AccessService;
  readonly billing: BillingService;
  readonly clock: ManualClock;
  readonly storage: Storage;
  readonly organization: TestOrganization;
  makeKey(more?: Partial<Parameters<AccessService['keys']['create']>[0]>): Promise<IssuedKey>;
}

export async function openService(
  storage: Storage,
  options: Partial<Omit<AccessOptions, 'background'>> & { clock?: ManualClock } = {},
): Promise<TestService> {
  const clock = options.clock ?? new ManualClock(NOON);
  const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
  const access = await createAccess({
    storage,
    billing,
    sealer: DEPLOYMENT_SEALER,
    operatorToken: OPERATOR_TOKEN,
    background: new BackgroundTasks({ clock }),
    ...options,
    clock,
  });
  const organization = await makeOrganization(storage);
  return {
    access,
    billing,
    clock,
    storage,
    organization,
    makeKey: (more = {}) =>
      access.keys.create({
        ...organization,
        name: 'test',
        environment: 'live',
        scopes: ['*'],
        budgetMicros: null,
        expiresAt: null,
        createdBy: null,
        ...more,
      }),
  };
}
