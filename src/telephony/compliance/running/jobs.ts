import type { TenantScope } from '../../../foundation/access/contract.ts';
import { JOB_PRIORITY, type JobToEnqueue } from '../../../foundation/jobs/index.ts';

/** A job has only ids, and loads everything else when it runs. */
export const SCAN_QUEUE = 'compliance.scan';
export const EXTRACT_QUEUE = 'compliance.extract';
export const CLOCK_QUEUE = 'compliance.clock';
export const AGE_QUEUE = 'compliance.age';
export const NETWORK_QUEUE = 'compliance.network';

export interface CaseJob {
  readonly case: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: TenantScope['environment'];
  readonly part: string;
}

const payload = (scope: TenantScope, id: string, part: string): CaseJob => ({
  case: id,
  part,
  org_id: scope.org,
  project_id: scope.project,
  environment: scope.environment,
});

/** The queue's fairness key: the cases of an organization take turns, and so do organizations. */
const tenant = (scope: TenantScope, id: string): string => `${scope.org} ${id}`;

const order = (queue: string, id: string, scope: TenantScope, of: string, part: string): JobToEnqueue => ({
  id,
  queue,
  tenant: tenant(scope, of),
  payload: payload(scope, of, part),
  priority: JOB_PRIORITY.normal,
});

export const scanId = (upload: string): string => `${upload}.scan`;
export const extractId = (extraction: string): string => `${extraction}.extract`;
export const clockId = (id: string): string => `${id}.clock`;
export const ageId = (id: string): string => `${id}.age`;
export const networkId = (id: string): string => `${id}.network`;

export const scanJob = (scope: TenantScope, id: string, upload: string): JobToEnqueue =>
  order(SCAN_QUEUE, scanId(upload), scope, id, upload);

export const extractJob = (
  scope: TenantScope,
  id: string,
  extraction: string,
  tries: number,
): JobToEnqueue => ({
  ...order(EXTRACT_QUEUE, extractId(extraction), scope, id, extraction),
  maxAttempts: tries,
});

export const clockJob = (scope: TenantScope, id: string, runAt: number): JobToEnqueue => ({
  ...order(CLOCK_QUEUE, clockId(id), scope, id, ''),
  runAt,
});

export const ageJob = (scope: TenantScope, id: string, runAt: number): JobToEnqueue => ({
  ...order(AGE_QUEUE, ageId(id), scope, id, ''),
  runAt,
});

export const networkJob = (scope: TenantScope, id: string): JobToEnqueue =>
  order(NETWORK_QUEUE, networkId(id), scope, id, '');
