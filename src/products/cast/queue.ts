import { type JobToEnqueue, queueFor } from '../../foundation/jobs/index.ts';
import type { CastRenderRow } from '../../foundation/storage/tables/cast.ts';

const MAX_ATTEMPTS = 6;
export const QUEUE = 'cast';

export const queuedRender = ({
  id,
  org_id,
  environment,
}: Pick<CastRenderRow, 'id' | 'org_id' | 'environment'>): JobToEnqueue => ({
  id,
  queue: queueFor(QUEUE, environment),
  tenant: org_id,
  payload: null,
  maxAttempts: MAX_ATTEMPTS,
});
