import type { PlanRow } from '../storage/tables/access.ts';
import type { PlanLimits } from './contract.ts';

export const limitsOf = (row: PlanRow): PlanLimits => ({
  rps: row.rps,
  burst: row.burst,
  concurrency: row.concurrency,
  dailyCapUnits: row.daily_cap_units,
  quotaUnits: row.quota_units,
  syncUpload: { bytes: row.sync_upload_bytes, seconds: row.sync_upload_seconds },
  jobUpload: { bytes: row.job_upload_bytes, seconds: row.job_upload_seconds },
});
