/** Where a render waits for a hand. */
import type { NewJob } from '../jobs/index.ts';
import type { CastRenderRow } from '../storage/tables/cast.ts';

const MAX_ATTEMPTS = 6;
export const QUEUE = 'cast';
/** Of sandbox keys: they have a hand of their own, so that nobody who pays waits for theirs. */
export const TRIAL_QUEUE = 'cast.trial';

export const queuedRender = ({
  id,
  org_id,
  environment,
}: Pick<CastRenderRow, 'id' | 'org_id' | 'environment'>): NewJob => ({
  id,
  queue: environment === 'live' ? QUEUE : TRIAL_QUEUE,
  tenant: org_id,
  payload: null,
  maxAttempts: MAX_ATTEMPTS,
});
