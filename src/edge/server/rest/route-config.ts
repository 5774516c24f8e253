import type {
  Access,
  Admission,
  AdmitOptions,
  Principal,
  Reach,
  Requirement,
  Vendor,
} from '../../../foundation/access/contract.ts';
import type { Doer } from '../../../foundation/audit/contract.ts';
import type { KeepAnswer } from '../idempotency/index.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the caller must hold. A route without it fails at start-up. */
    access?: Requirement;
    /** `error`: this route answers every error in the `error` envelope alone; `problem`: every one as a problem. */
    envelope?: 'error' | 'problem';
    /** Browsers of origins on an organization's allow-list may read the answer. */
    cors?: boolean;
    /** Codes beyond the general ones that the route answers with, for the OpenAPI description. */
    errors?: readonly import('../../../foundation/platform/errors.ts').ErrorCode[];
    /** Takes an Idempotency-Key, or demands one: the handler works through `request.once`. */
    idempotent?: 'optional' | 'required';
    /** The route serves another maker's clients, and takes the key as they send it. */
    vendor?: Vendor;
    /** Serves while the server drains (health, metrics). */
    whileDraining?: boolean;
  }

  interface FastifyRequest {
    principal: Principal | null;
    /** The principal of a route that demands one; throws where the route is public. */
    caller(): Principal;
    /** The borders inside which the caller of a route that demands one reads and writes. */
    reach(): Reach;
    /** The caller of a route that demands one, as the audit log names them. */
    doer(): Doer;
    /** Aborted when the client leaves before its answer is complete: long work takes it, and stores or bills nothing after. */
    gone: AbortSignal;
    /** Does the work of an idempotent route, or gives the answer that the same request got before. The work calls `keep` with its
     * answer, in the transaction of its effect. */
    once<T>(work: (keep: KeepAnswer) => Promise<T>): Promise<T>;
    /** Concurrency, caps and credit: call it once the request has been validated. Given back when the response ends. */
    admit(use: Parameters<Access['admit']>[1], options?: Partial<AdmitOptions>): Promise<Admission>;
  }
}

export const PUBLIC: Requirement = { kind: 'public' };
