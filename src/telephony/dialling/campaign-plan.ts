import { type Static, Type } from 'typebox';
import { localTime } from '../../foundation/platform/local-time.ts';
import { checkMerged, mergePatch, type NestedPatch } from '../../foundation/platform/merge-patch.ts';
import type { TelephonyCampaignRow } from '../../foundation/storage/tables/telephony.ts';
import type { AmdOrder } from './contract.ts';
import { Amd } from './number-settings.ts';

const TimeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['09:00'] });
const closed = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });

export const Windows = closed({
  days: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
      minItems: 1,
      maxItems: 7,
      description:
        'Days of the week; 1 is Monday. Defaults to all days. Hours over midnight belong to the day on which they begin.',
    }),
  ),
  from: TimeOfDay,
  to: TimeOfDay,
  time_zone: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'The time zone of numbers whose location is unknown. Without it, those numbers are not called.',
    }),
  ),
});
export const Pacing = closed({
  concurrent: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 500,
      default: 5,
      description: 'The maximum number of concurrent calls.',
    }),
  ),
  calls_per_minute: Type.Optional(Type.Integer({ minimum: 1, maximum: 6000, default: 60 })),
});

export const RETRIED = ['busy', 'no_answer', 'rejected', 'machine', 'failed'] as const;
export const Retries = closed({
  attempts: Type.Integer({
    minimum: 1,
    maximum: 10,
    description: 'The maximum number of calls per target, including the first.',
  }),
  after_s: Type.Integer({ minimum: 60, maximum: 7 * 86_400 }),
  outcomes: Type.Optional(
    Type.Array(Type.Enum([...RETRIED]), {
      description: 'The outcomes that are retried. Defaults to `busy` and `no_answer`.',
    }),
  ),
});

export interface CampaignPlan {
  readonly windows: Static<typeof Windows> | null;
  readonly pacing: Static<typeof Pacing>;
  readonly retries: Static<typeof Retries> | null;
  readonly amd: AmdOrder | null;
  readonly message: string | null;
  readonly webhook_url: string | null;
}

const EMPTY_PLAN: CampaignPlan = {
  windows: null,
  pacing: {},
  retries: null,
  amd: null,
  message: null,
  webhook_url: null,
};
/** A change of a plan merges these. */
export const PLAN_OBJECTS = { windows: Windows, pacing: Pacing, retries: Retries, amd: Amd } as const;
const PLAN_OBJECT_NAMES = Object.keys(PLAN_OBJECTS) as (keyof typeof PLAN_OBJECTS)[];
export type PlanChange = NestedPatch<CampaignPlan, keyof typeof PLAN_OBJECTS>;

export function changedPlan(before: CampaignPlan, change: PlanChange): CampaignPlan {
  const after = mergePatch(before, change, EMPTY_PLAN, PLAN_OBJECT_NAMES);
  checkMerged(after, PLAN_OBJECTS);
  return after;
}

export const planOf = ({ plan }: Pick<TelephonyCampaignRow, 'plan'>): CampaignPlan =>
  JSON.parse(plan) as CampaignPlan;

/** A number of several possible time zones may be called only when each of them is within the window. */
export function isOpen(
  windows: NonNullable<CampaignPlan['windows']>,
  zones: readonly string[] | null,
  at: number,
): boolean {
  const places = zones ?? (windows.time_zone === undefined ? [] : [windows.time_zone]);
  return places.length > 0 && places.every((zone) => isWithinWindow(windows, zone, at));
}

/** A window may span midnight; the hours after it belong to the day on which the window began. */
export function isWithinWindow(
  { days, from, to }: Pick<Static<typeof Windows>, 'days' | 'from' | 'to'>,
  zone: string,
  at: number,
): boolean {
  const { day, time } = localTime(at, zone);
  const opensOn = (one: number): boolean => days === undefined || days.includes(one);
  if (from <= to) return opensOn(day) && time >= from && time < to;
  return (time >= from && opensOn(day)) || (time < to && opensOn(day === 1 ? 7 : day - 1));
}

export const isZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};
