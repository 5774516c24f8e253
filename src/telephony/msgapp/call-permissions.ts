import type { TenantScope } from '../../foundation/access/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { MsgappPermissionRow } from '../../foundation/storage/tables/msgapp.ts';

/** The limits are the provider's and can be configured, as the provider changes them. */
export interface PermissionRules {
  readonly requestsADay: number;
  readonly requestsAWeek: number;
  readonly grantHours: number;
  /** The number of unanswered calls in a row that revokes the permission. */
  readonly unansweredRevoke: number;
  readonly connectedADay: number;
}

export const PERMISSION_RULES: PermissionRules = {
  requestsADay: 1,
  requestsAWeek: 2,
  grantHours: 168,
  unansweredRevoke: 4,
  connectedADay: 100,
};

export interface PermissionReply {
  readonly accepted: boolean;
  readonly permanent: boolean;
  /** Unix milliseconds; null stands for the provider's usual duration. */
  readonly until: number | null;
  /** The time of the person's reply in Unix milliseconds; null stands for now. */
  readonly at: number | null;
}

export interface CallPermission {
  readonly status: 'none' | 'expired' | MsgappPermissionRow['status'];
  readonly until: number | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const NONE: CallPermission = { status: 'none', until: null };

export class CallPermissions {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #rules: PermissionRules;

  constructor(storage: Storage, clock: Clock, rules: PermissionRules = PERMISSION_RULES) {
    this.#storage = storage;
    this.#clock = clock;
    this.#rules = rules;
  }

  async of(scope: TenantScope, numberId: string, phoneNumber: string): Promise<CallPermission> {
    const row = await this.#find(scope, numberId, phoneNumber);
    return row === null ? NONE : this.#standing(row);
  }

  /** Throws ApiError `rate_limit_exceeded` where the number has used up its requests to this person. */
  async mayAsk(scope: TenantScope, numberId: string, phoneNumber: string): Promise<void> {
    const row = await this.#find(scope, numberId, phoneNumber);
    const asked = row === null ? [] : this.#asked(row);
    this.#bound(asked, DAY_MS, this.#rules.requestsADay, 'a day');
    this.#bound(asked, WEEK_MS, this.#rules.requestsAWeek, 'a week');
  }

  async asked(scope: TenantScope, numberId: string, phoneNumber: string): Promise<CallPermission> {
    const row = await this.#find(scope, numberId, phoneNumber);
    const asked = [...(row === null ? [] : this.#asked(row)), this.#clock.now()];
    const stays = row !== null && this.#standing(row).status === 'granted';
    await this.#save(scope, numberId, phoneNumber, {
      asked: JSON.stringify(asked),
      ...(stays ? {} : { status: 'asked' as const, until: null }),
    });
    return await this.of(scope, numberId, phoneNumber);
  }

  /**
   * The latest reply counts, in whatever order and however often replies arrive; of two with the same time the
   * refusal counts.
   */
  async replied(
    scope: TenantScope,
    numberId: string,
    phoneNumber: string,
    { accepted, permanent, until, at }: PermissionReply,
  ): Promise<void> {
    const replied_at = at ?? this.#clock.now();
    const ends = until ?? replied_at + this.#rules.grantHours * HOUR_MS;
    const change = {
      status: accepted ? ('granted' as const) : ('declined' as const),
      until: accepted && !permanent ? ends : null,
      unanswered: 0,
      replied_at,
    };
    await this.#save(scope, numberId, phoneNumber, change, accepted ? replied_at : replied_at + 1);
  }

  /** Throws ApiError `rate_limit_exceeded` where the person has answered as many calls in 24 hours as the rules allow. */
  async mayCall(scope: TenantScope, numberId: string, phoneNumber: string): Promise<void> {
    const most = this.#rules.connectedADay;
    const rows = await withinTenant(this.#storage.db, scope)
      .selectFrom('msgapp_calls')
      .select('answered_at')
      .where('number_id', '=', numberId)
      .where('direction', '=', 'outbound')
      .where('to_number', '=', phoneNumber)
      .where('answered_at', '>', this.#clock.now() - DAY_MS)
      .orderBy('answered_at', 'desc')
      .limit(most)
      .execute();
    if (rows.length < most) return;
    const retryAfter = Math.ceil((Number(rows.at(-1)?.answered_at) + DAY_MS - this.#clock.now()) / 1_000);
    throw new ApiError('rate_limit_exceeded', `a number can call a person at most ${most} times a day`, {
      retryAfter,
    });
  }

  /** An answered call resets the count of unanswered ones. At the limit the permission is revoked. */
  async called(scope: TenantScope, numberId: string, phoneNumber: string, taken: boolean): Promise<void> {
    const row = await this.#find(scope, numberId, phoneNumber);
    if (row === null) return;
    const unanswered = taken ? 0 : row.unanswered + 1;
    const revoked = unanswered >= this.#rules.unansweredRevoke;
    await this.#save(scope, numberId, phoneNumber, {
      unanswered,
      ...(revoked ? { status: 'revoked' as const, until: null } : {}),
    });
  }

  async revoke(scope: TenantScope, numberId: string, phoneNumber: string): Promise<void> {
    await this.#save(scope, numberId, phoneNumber, { status: 'revoked', until: null });
  }

  #standing({ status, until }: MsgappPermissionRow): CallPermission {
    if (status === 'granted' && until !== null && Number(until) <= this.#clock.now())
      return { status: 'expired', until: Number(until) };
    return { status, until: until === null ? null : Number(until) };
  }

  #asked({ asked }: MsgappPermissionRow): number[] {
    return (JSON.parse(asked) as number[]).filter((at) => at > this.#clock.now() - WEEK_MS);
  }

  #bound(asked: readonly number[], spanMs: number, most: number, span: string): void {
    const recent = asked.filter((at) => at > this.#clock.now() - spanMs);
    if (recent.length < most) return;
    const oldest = recent[recent.length - most] as number;
    const retryAfter = Math.ceil((oldest + spanMs - this.#clock.now()) / 1_000);
    throw new ApiError(
      'rate_limit_exceeded',
      `a number can ask a person for permission at most ${most} times ${span}`,
      {
        retryAfter,
      },
    );
  }

  async #find(
    scope: TenantScope,
    numberId: string,
    phoneNumber: string,
  ): Promise<MsgappPermissionRow | null> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('msgapp_permissions')
      .selectAll()
      .where('id', '=', `${numberId} ${phoneNumber}`)
      .executeTakeFirst();
    return row ?? null;
  }

  async #save(
    scope: TenantScope,
    numberId: string,
    phoneNumber: string,
    change: Partial<Pick<MsgappPermissionRow, 'status' | 'until' | 'asked' | 'unanswered' | 'replied_at'>>,
    repliedBefore = Number.MAX_SAFE_INTEGER,
  ): Promise<void> {
    const id = `${numberId} ${phoneNumber}`;
    const updated_at = this.#clock.now();
    const fresh = { status: 'asked' as const, until: null, asked: '[]', unanswered: 0, replied_at: 0 };
    await withinTenant(this.#storage.db, scope)
      .insertInto('msgapp_permissions', {
        id,
        number_id: numberId,
        phone_number: phoneNumber,
        ...fresh,
        ...change,
        updated_at,
      })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ ...change, updated_at })
          .where('msgapp_permissions.replied_at', '<', repliedBefore),
      )
      .execute();
  }
}
