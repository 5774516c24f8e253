import type { TenantScope } from '../../../foundation/access/contract.ts';
import { JOB_PRIORITY, type JobToEnqueue } from '../../../foundation/jobs/index.ts';

/** A job has only ids, and loads everything else when it runs. */
export const SCAN_QUEUE = 'compliance.scan';
export const EXTRACT_QUEUE = 'compliance.extract';
export const CASE_DEADLINE_QUEUE = 'compliance.clock';
export const DOCUMENT_EXPIRY_QUEUE = 'compliance.age';
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
export const caseDeadlineId = (id: string): string => `${id}.clock`;
export const documentExpiryId = (id: string): string => `${id}.age`;
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

export const caseDeadlineJob = (scope: TenantScope, id: string, runAt: number): JobToEnqueue => ({
  ...order(CASE_DEADLINE_QUEUE, caseDeadlineId(id), scope, id, ''),
  runAt,
});

export const documentExpiryJob = (scope: TenantScope, id: string, runAt: number): JobToEnqueue => ({
  ...order(DOCUMENT_EXPIRY_QUEUE, documentExpiryId(id), scope, id, ''),
  runAt,
});

export const networkJob = (scope: TenantScope, id: string): JobToEnqueue =>
  order(NETWORK_QUEUE, networkId(id), scope, id, '');
