import type { Reach } from '../../../foundation/access/contract.ts';
import { type NewJob, PRIORITY } from '../../../foundation/jobs/index.ts';

/** The durable work of cases. What a job knows is which case, and which part of it: all else is read when it runs. */
export const SCAN_QUEUE = 'compliance.scan';
export const EXTRACT_QUEUE = 'compliance.extract';
export const CLOCK_QUEUE = 'compliance.clock';
export const AGE_QUEUE = 'compliance.age';
export const NETWORK_QUEUE = 'compliance.network';

export interface CaseJob {
  readonly case: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: Reach['environment'];
  /** The upload or extraction that it is about. */
  readonly part: string;
}

const payload = (reach: Reach, id: string, part: string): CaseJob => ({
  case: id,
  part,
  org_id: reach.org,
  project_id: reach.project,
  environment: reach.environment,
});

/** Cases of an organization take turns with each other, and organizations with organizations. */
const tenant = (reach: Reach, id: string): string => `${reach.org} ${id}`;

const order = (queue: string, id: string, reach: Reach, of: string, part: string): NewJob => ({
  id,
  queue,
  tenant: tenant(reach, of),
  payload: payload(reach, of, part),
  priority: PRIORITY.normal,
});

export const scanId = (upload: string): string => `${upload}.scan`;
export const extractId = (extraction: string): string => `${extraction}.extract`;
export const clockId = (id: string): string => `${id}.clock`;
export const ageId = (id: string): string => `${id}.age`;
export const networkId = (id: string): string => `${id}.network`;

export const scanOrder = (reach: Reach, id: string, upload: string): NewJob =>
  order(SCAN_QUEUE, scanId(upload), reach, id, upload);

export const extractOrder = (reach: Reach, id: string, extraction: string, tries: number): NewJob => ({
  ...order(EXTRACT_QUEUE, extractId(extraction), reach, id, extraction),
  maxAttempts: tries,
});

export const clockOrder = (reach: Reach, id: string, runAt: number): NewJob => ({
  ...order(CLOCK_QUEUE, clockId(id), reach, id, ''),
  runAt,
});

export const ageOrder = (reach: Reach, id: string, runAt: number): NewJob => ({
  ...order(AGE_QUEUE, ageId(id), reach, id, ''),
  runAt,
});

export const networkOrder = (reach: Reach, id: string): NewJob =>
  order(NETWORK_QUEUE, networkId(id), reach, id, '');
