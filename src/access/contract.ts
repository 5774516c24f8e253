/** What the rest of the product sees of access: who calls, what a route demands, and the door that decides. */

export type Environment = 'live' | 'sandbox';

export interface PlanLimits {
  readonly rps: number;
  readonly burst: number;
  readonly concurrency: number;
  /** Units (seconds of metered audio) a UTC day; null: none. */
  readonly dailyCapUnits: number | null;
  /** Units a month; null: none. */
  readonly quotaUnits: number | null;
  readonly syncUpload: { readonly bytes: number; readonly seconds: number };
  readonly jobUpload: { readonly bytes: number; readonly seconds: number };
}

/** What the operator turns on for an organization; a sandbox key has all of them. */
export type Entitlement = 'trace';

export interface Principal {
  readonly kind: 'key' | 'user' | 'operator' | 'browser_token';
  /** The key, console session or browser token that was presented; `operator` for the operator's token. */
  readonly credentialId: string;
  /** Empty for the operator, who belongs to no organization. */
  readonly orgId: string;
  readonly projectId: string;
  /** The key that is charged (a browser token charges the key that minted it); a user's or an operator's call has none. */
  readonly keyId: string | null;
  readonly userId: string | null;
  readonly environment: Environment;
  readonly scopes: readonly string[];
  readonly plan: string;
  readonly limits: PlanLimits;
  readonly entitlements: readonly Entitlement[];
  /** Unix milliseconds at which the credential dies by itself; null: never. */
  readonly expiresAt: number | null;
  /** Set for a browser token: where it may be used and the agent profile it was minted for. */
  readonly browser: { readonly origin: string; readonly agentId: string | null } | null;
}

/** What a route demands; given as `config.access` of a fastify route or `access` of a socket route. */
export type Requirement =
  | { readonly kind: 'public' }
  /** An API key; `scope` absent: any active key. `browser`: a browser token minted by such a key will do. */
  | { readonly kind: 'key'; readonly scope?: string; readonly browser?: boolean }
  /** A signed-in user of the console. */
  | { readonly kind: 'user' }
  /** Any active key or a signed-in user of the organization. */
  | { readonly kind: 'member' }
  /** The operator's token. */
  | { readonly kind: 'operator' }
  /** The route checks its own token or signature (provider webhooks). */
  | { readonly kind: 'signed' };

/** Everything a request may present, gathered by the edge so that access never sees a socket or a fastify request. */
export interface Presented {
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

export type Meter = 'hear' | 'hear_async' | 'speak' | 'omni' | 'agents_beta' | 'telephony' | 'amd';

/** Held while a realtime session or metered request runs. */
export interface Admission {
  /** Frees the concurrency slot; idempotent. */
  release(): void;
  /** For a long session, every few seconds: throws the ApiError of the cap, budget or credit that the milliseconds
   * used so far and not yet recorded would exceed (the session then closes with 4429), or of the scope or origin that was
   * taken away (4403). */
  recheck(pendingMilliseconds: number): Promise<void>;
}

export interface Access {
  /** Credential, origin, scope, rate: in that order. Throws ApiError. Null for public and signed routes. */
  authorize(presented: Presented, requirement: Requirement): Promise<Authorized>;
  /** Concurrency (only `realtime`), caps, credit: the checks that follow validation. Throws ApiError. */
  admit(principal: Principal, meter: Meter, options: { realtime: boolean }): Promise<Admission>;
  /** Calls back once when the credential dies (revoked, expired) while a session lives; returns the unsubscribe.
   * A credential that is dead already calls back at once, after `watch` has returned. */
  watch(principal: Principal, onDead: () => void): () => void;
  /** Whether any organization lists the origin: what a CORS preflight, which carries no credential, is answered by. */
  allowsOrigin(origin: string): Promise<boolean>;
}

export interface Authorized {
  readonly principal: Principal | null;
  /** RateLimit, RateLimit-Policy; Set-Cookie when a console session rotates. Errors carry theirs in ApiError.headers. */
  readonly headers: Readonly<Record<string, string>>;
}
