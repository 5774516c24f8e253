import { COMMAND_LINE_ACTOR } from '../../foundation/audit/index.ts';
import type { PlanRow } from '../../foundation/storage/tables/access.ts';
import type { CliContext } from './command.ts';
import { usageError, withCoreServices } from './core-services.ts';

const COLUMNS = {
  rps: 'rps',
  burst: 'burst',
  concurrency: 'concurrency',
  dailyCap: 'daily_cap_units',
  quota: 'quota_units',
  syncBytes: 'sync_upload_bytes',
  syncSeconds: 'sync_upload_seconds',
  jobBytes: 'job_upload_bytes',
  jobSeconds: 'job_upload_seconds',
  numbers: 'numbers_max',
  storage: 'storage_bytes',
} as const satisfies Record<string, keyof PlanRow>;
const MAY_BE_NONE: ReadonlySet<string> = new Set(['dailyCap', 'quota', 'storage']);

const PLAN_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

function limitOf(option: string, text: string): number | null {
  if (text === 'none' && MAY_BE_NONE.has(option)) return null;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw usageError(`--${option} must be an integer above 0, not ${text}.`);
  return value;
}

const line = ({ id, ...limits }: PlanRow): string =>
  [id, ...Object.entries(limits).map(([name, value]) => `${name}=${value ?? 'none'}`)].join(' ');

export const list = (context: CliContext): Promise<void> =>
  withCoreServices(context, async ({ access }) => {
    for (const row of await access.plans.list()) context.out(line(row));
  });

export type PlanOptions = Record<keyof typeof COLUMNS, string | undefined>;

export const set = (context: CliContext, name: string, options: PlanOptions): Promise<void> =>
  withCoreServices(context, async ({ access }) => {
    if (!PLAN_NAME.test(name))
      throw usageError(`${name} is not a valid plan name: use lower-case letters, digits, - and _.`);
    const change = Object.fromEntries(
      Object.entries(options).map(([option, text]) => [
        COLUMNS[option as keyof typeof COLUMNS],
        limitOf(option, text as string),
      ]),
    );
    context.out(line(await access.plans.put(name, change, COMMAND_LINE_ACTOR)));
  });
