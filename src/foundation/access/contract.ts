import type { Transaction } from 'kysely';
import type { BilledUse, BillingAccount, MeteredUse } from '../billing/contract.ts';
import type { Tables } from '../storage/tables/index.ts';
import type { Entitlement, Environment, MemberRole } from '../tenancy/index.ts';

export {
  ENTITLEMENTS,
  type Entitlement,
  type Environment,
  type MemberRole,
  type Meter,
  ROLES,
  type TenantScope,
} from '../tenancy/index.ts';

export interface PlanLimits {
  readonly storageBytes: number | null;
  readonly rps: number;
  readonly burst: number;
  readonly concurrency: number;
  readonly dailyCapUnits: number | null;
  readonly quotaUnits: number | null;
  readonly syncUpload: { readonly bytes: number; readonly seconds: number };
  readonly jobUpload: { readonly bytes: number; readonly seconds: number };
  readonly numbersMax: number;
}

export interface Principal {
  readonly kind: 'key' | 'user' | 'operator' | 'browser_token' | 'project';
  /**
   * It is the id of the key, console session or browser token, `operator` for the operator's token, and id and
   * environment for a project.
   */
  readonly credentialId: string;
  /** The operator belongs to no organization and has an empty id. */
  readonly orgId: string;
  readonly projectId: string;
  /**
   * Usage counts toward this key; for a browser token it is the key that minted it. Calls of a user or the operator
   * have none.
   */
  readonly keyId: string | null;
  readonly userId: string | null;
  /** A signed-in person has a role and the projects it reaches (null: all). */
  readonly person: { readonly role: MemberRole; readonly projects: readonly string[] | null } | null;
  readonly environment: Environment;
  readonly scopes: readonly string[];
  readonly plan: string;
  readonly limits: PlanLimits;
  readonly entitlements: readonly Entitlement[];
  /** The time is in Unix milliseconds; null means that the credential does not expire. */
  readonly expiresAt: number | null;
  /** It is true for the key of a console session, and for a browser token that the console minted with it. */
  readonly isConsole?: boolean;
  readonly network?: string;
  /**
   * A browser token has the origin where it is valid, its agent profile, and the fields of `configure` that the page
   * may set (null: all).
   */
  readonly browser: {
    readonly origin: string;
    readonly agentId: string | null;
    readonly configurable: readonly string[] | null;
    readonly session?: object;
    readonly isGrant?: boolean;
  } | null;
}

export type Requirement =
  | { readonly kind: 'public' }
  /**
   * Without `scope`, any active key passes. `browser` also accepts a browser token that such a key minted; `grant`
   * also accepts a grant.
   */
  | {
      readonly kind: 'key';
      readonly scope?: string;
      readonly browser?: boolean;
      readonly grant?: boolean;
      readonly entitlement?: Entitlement;
    }
  | { readonly kind: 'user'; readonly role?: MemberRole }
  | { readonly kind: 'member'; readonly scope: string; readonly role?: MemberRole }
  | { readonly kind: 'operator' }
  /**
   * The route checks its own token or signature (provider webhooks). `key` means that it is the key or token that
   * created the resource.
   */
  | { readonly kind: 'signed'; readonly key?: boolean };

export type ClientVendor = 'deepgram' | 'elevenlabs' | 'openai';

/** The edge gathers these, so that access never depends on a socket or a fastify request. */
export interface RequestCredentials {
  readonly authorization: string | undefined;
  readonly apiKeyHeader: string | undefined;
  /** Only WebSocket edges set `?api_key=` and the protocols. */
  readonly apiKeyQuery: string | undefined;
  readonly protocols: readonly string[];
  readonly cookie: string | undefined;
  readonly origin: string | undefined;
  /** A cookie counts only where the request's origin, if it has one, is this host. */
  readonly host: string | undefined;
  readonly remoteAddress: string;
}

export interface ReservationConfirmation {
  readonly reservationId: string;
  readonly milliseconds: number;
  readonly leaseMs: number;
  readonly resource: string;
}

export interface AdmitOptions {
  /** A live session takes one of its key's concurrency slots; a request does not. */
  readonly realtime: boolean;
  readonly milliseconds?: number;
  /** The reservation gets this id, so that a job finds its reservation by the id of the job. */
  readonly reservationId?: string;
  readonly resource?: string;
}

export interface Admission {
  /** Usage events carry this id, and recording one settles the reservation. A free use has null. */
  readonly reservationId: string | null;
  /**
   * Releases the concurrency slot and the reservation; idempotent. It never rejects: the lease frees what could not
   * be released.
   */
  release(): Promise<void>;
  settling(work: Promise<unknown>): void;
  /**
   * Keeps the reservation for a job that continues without the admission. From now on `release` frees only the slot.
   */
  handOver(): void;
  /**
   * A long session calls it every few seconds. It reserves some seconds more than the milliseconds used so far and
   * not yet recorded (or `aheadMilliseconds`, for work that does not call again). It resolves with the milliseconds
   * that may be used until the next call, fewer where little credit is left.
   * It throws the ApiError of the cap, budget or credit that the use would exceed (the session then closes with
   * 4429), or of the scope or origin that was withdrawn (4403).
   */
  recheck(pendingMilliseconds: number, aheadMilliseconds?: number): Promise<number>;
}

export interface AccessControl {
  /**
   * Checks credential, origin, scope and rate, in that order. Throws ApiError. Returns null for public and signed
   * routes.
   */
  authorize(presented: RequestCredentials, requirement: Requirement): Promise<AuthorizedRequest>;
  /** Checks concurrency (only with `realtime`), caps and credit, after `authorize`. Throws ApiError. */
  admit(principal: Principal, use: MeteredUse, options: AdmitOptions): Promise<Admission>;
  /** Checks again before admitted work begins, now that its length is known. Throws ApiError. */
  confirm(account: BillingAccount, use: BilledUse, order: ReservationConfirmation): Promise<void>;
  restore(principal: Principal): Promise<void>;
  /**
   * Calls back once when the credential is revoked or expires; returns the unsubscribe function. For an already
   * revoked credential it calls back after `watch` has returned.
   */
  watchRevocation(principal: Principal, onDead: () => void): () => void;
  allowsOrigin(origin: string): Promise<boolean>;
}

export interface AuthorizedRequest {
  readonly principal: Principal | null;
  /**
   * The headers are RateLimit, RateLimit-Policy, and Set-Cookie when a console session rotates. Errors carry theirs
   * in ApiError.headers.
   */
  readonly headers: Readonly<Record<string, string>>;
}

export interface OutboundMail {
  readonly isConfigured: boolean;
  enqueue(
    transaction: Transaction<Tables>,
    tenant: string,
    mail: { readonly to: readonly string[]; readonly subject: string; readonly text: string },
  ): Promise<unknown>;
}

export const NO_MAIL: OutboundMail = { isConfigured: false, enqueue: async () => null };
