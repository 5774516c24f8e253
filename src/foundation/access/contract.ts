/** The contract of access: principals, the requirements of routes, and the controller that admits requests. */
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
  /** Bytes of files that the organization keeps; null: no quota. */
  readonly storageBytes: number | null;
  readonly rps: number;
  readonly burst: number;
  readonly concurrency: number;
  /** Units (seconds of metered audio) a UTC day; null: none. */
  readonly dailyCapUnits: number | null;
  /** Units a month; null: none. */
  readonly quotaUnits: number | null;
  readonly syncUpload: { readonly bytes: number; readonly seconds: number };
  readonly jobUpload: { readonly bytes: number; readonly seconds: number };
  /** Telephone numbers that an organization has at most. */
  readonly numbersMax: number;
}

export interface Principal {
  /** `project`: nobody presents anything; the project acts by its own standing. */
  readonly kind: 'key' | 'user' | 'operator' | 'browser_token' | 'project';
  /** The key, console session or browser token that was presented; `operator` for the operator's token; of a project its id and environment. */
  readonly credentialId: string;
  /** The operator belongs to no organization and has an empty id. */
  readonly orgId: string;
  readonly projectId: string;
  /** The key whose use it counts as (a browser token counts as the key that minted it); a user's or an operator's call has none. */
  readonly keyId: string | null;
  readonly userId: string | null;
  /** Set for a signed-in person: what they may do, and the projects that they reach (null: all). */
  readonly person: { readonly role: MemberRole; readonly projects: readonly string[] | null } | null;
  readonly environment: Environment;
  readonly scopes: readonly string[];
  readonly plan: string;
  readonly limits: PlanLimits;
  readonly entitlements: readonly Entitlement[];
  /** Unix milliseconds at which the credential dies by itself; null: never. */
  readonly expiresAt: number | null;
  /** The key of a person's console session, or a browser token that the console minted with it; absent: no. */
  readonly isConsole?: boolean;
  /** The source network that the credential was presented from; absent where there is none. */
  readonly network?: string;
  /** Set for a browser token: where it may be used, the agent profile that it was minted for, and the fields of
   * `configure` that its maker leaves to the page (null: all). */
  readonly browser: {
    readonly origin: string;
    readonly agentId: string | null;
    readonly configurable: readonly string[] | null;
    /** The maker of the token fixes these settings of the session that it opens. */
    readonly session?: object;
    /** It is used any number of times while it lives. */
    readonly isGrant?: boolean;
  } | null;
}

/** A fastify route declares it as `config.access`, a socket route as `access`. */
export type Requirement =
  | { readonly kind: 'public' }
  /** An API key; `scope` absent: any active key. `browser`: a browser token minted by such a key will do; `grant`: a grant. */
  | {
      readonly kind: 'key';
      readonly scope?: string;
      readonly browser?: boolean;
      readonly grant?: boolean;
      /** A caller without this entitlement gets 404, as if the route did not exist. */
      readonly entitlement?: Entitlement;
    }
  /** A signed-in user of the console, of this role or a higher one; absent: of any. */
  | { readonly kind: 'user'; readonly role?: MemberRole }
  /** A key with the scope, or a signed-in user of the organization of this role or a higher one. */
  | { readonly kind: 'member'; readonly scope: string; readonly role?: MemberRole }
  /** The operator's token. */
  | { readonly kind: 'operator' }
  /** The route checks its own token or signature (provider webhooks). `key`: it is the key or token that began the resource. */
  | { readonly kind: 'signed'; readonly key?: boolean };

/** Clients of others that send a key in a way of their own, on routes made for them. */
export type ClientVendor = 'deepgram' | 'elevenlabs' | 'openai';

/** Everything a request may present, gathered by the edge so that access never sees a socket or a fastify request. */
export interface RequestCredentials {
  readonly authorization: string | undefined;
  readonly apiKeyHeader: string | undefined;
  /** `?api_key=`; only WebSocket edges fill it. */
  readonly apiKeyQuery: string | undefined;
  /** Sec-WebSocket-Protocol values in order; only WebSocket edges fill it. */
  readonly protocols: readonly string[];
  readonly cookie: string | undefined;
  readonly origin: string | undefined;
  /** The Host header: a cookie counts only when the request's origin, if it says one, is this host. */
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
  /** A live session takes one of its key's places; a request does not. */
  readonly realtime: boolean;
  /** A use that reserves its whole length gives exact or estimated milliseconds. */
  readonly milliseconds?: number;
  /** Held under this name: a job's hold is found again by the job's id. */
  readonly reservationId?: string;
  readonly resource?: string;
}

/** Held while a realtime session or metered request runs. */
export interface Admission {
  /** Usage events carry this id, and recording one settles the reservation. A free use has null. */
  readonly reservationId: string | null;
  /** Frees the concurrency slot at once, and what is held; idempotent. Never rejects: what could not be given back
   * is given back by its lease. */
  release(): Promise<void>;
  /** The reservation stays until the usage is written, even where `release` comes first. */
  settling(work: Promise<unknown>): void;
  /** The hold stays, for whoever goes on without the admission: `release` frees only the slot from now on. */
  handOver(): void;
  /** For a long session, every few seconds: holds some seconds more than the milliseconds used so far and not yet
   * recorded. Throws the ApiError of the cap, budget or credit that those would exceed (the session then closes with
   * 4429), or of the scope or origin that was taken away (4403). Resolves with the milliseconds that may be used
   * until it has to be asked again: fewer where little is left. `aheadMilliseconds`: what goes on without being asked holds
   * so much ahead, instead of some seconds. */
  recheck(pendingMilliseconds: number, aheadMilliseconds?: number): Promise<number>;
}

export interface AccessControl {
  /** Credential, origin, scope, rate: in that order. Throws ApiError. Null for public and signed routes. */
  authorize(presented: RequestCredentials, requirement: Requirement): Promise<AuthorizedRequest>;
  /** Concurrency (only `realtime`), caps, credit: the checks that follow validation. Throws ApiError. */
  admit(principal: Principal, use: MeteredUse, options: AdmitOptions): Promise<Admission>;
  /** Asks again before work that was admitted earlier begins, now that its length is known. Throws ApiError. */
  confirm(account: BillingAccount, use: BilledUse, order: ReservationConfirmation): Promise<void>;
  /** The session that a browser token was admitted for did not begin: the token is good again. */
  restore(principal: Principal): Promise<void>;
  /** Calls back once when the credential dies (revoked, expired) while a session lives; returns the unsubscribe.
   * A credential that is dead already calls back at once, after `watch` has returned. */
  watchRevocation(principal: Principal, onDead: () => void): () => void;
  /** Whether any organization lists the origin: what a CORS preflight, which carries no credential, is answered by. */
  allowsOrigin(origin: string): Promise<boolean>;
}

export interface AuthorizedRequest {
  readonly principal: Principal | null;
  /** RateLimit, RateLimit-Policy; Set-Cookie when a console session rotates. Errors carry theirs in ApiError.headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Mail that leaves because of what a transaction stores, if that is stored. */
export interface OutboundMail {
  /** No mail is sent while no mail server is configured. */
  readonly isConfigured: boolean;
  /** `tenant`: whom it is for. */
  enqueue(
    transaction: Transaction<Tables>,
    tenant: string,
    mail: { readonly to: readonly string[]; readonly subject: string; readonly text: string },
  ): Promise<unknown>;
}

export const NO_MAIL: OutboundMail = { isConfigured: false, enqueue: async () => null };
