import type { AccessTables } from './access.ts';
import type { BillingTables } from './billing.ts';
import type { HearTables } from './hear.ts';
import type { JobsTables } from './jobs.ts';
import type { OmniTables } from './omni.ts';
import type { SpeakTables } from './speak.ts';
import type { WebhooksTables } from './webhooks.ts';

/** Every table's row types. A room's tables live in a file of their own beside this one and are joined here.
 * Rules that keep one set of queries valid on SQLite and PostgreSQL: times are Unix milliseconds in bigint columns,
 * flags are integer 0/1, documents are JSON text, ids are text. */
export type Tables = AccessTables &
  BillingTables &
  HearTables &
  SpeakTables &
  JobsTables &
  WebhooksTables &
  OmniTables;
