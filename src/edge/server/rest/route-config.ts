import type {
  AccessControl,
  Admission,
  AdmitOptions,
  ClientVendor,
  Principal,
  Requirement,
  TenantScope,
} from '../../../foundation/access/contract.ts';
import type { AuditActor } from '../../../foundation/audit/contract.ts';
import type { StoreResponse } from '../idempotency/index.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route without it fails at start-up. */
    access?: Requirement;
    envelope?: 'error' | 'problem';
    /** Browsers may read the response, from origins on an organization's allow-list. */
    cors?: boolean;
    errors?: readonly import('../../../foundation/platform/errors.ts').ErrorCode[];
    idempotent?: 'optional' | 'required';
    /** The route serves another vendor's clients, and accepts the key in their form. */
    vendor?: ClientVendor;
    /** The route still answers while the server drains, as health and metrics do. */
    whileDraining?: boolean;
  }

  interface FastifyRequest {
    principal: Principal | null;
    caller(): Principal;
    tenantScope(): TenantScope;
    doer(): AuditActor;
    /** Aborts when the client disconnects before its response is complete; long work stores and bills nothing after that. */
    gone: AbortSignal;
    /**
     * Runs the work of an idempotent route, or returns the stored response of an identical earlier request. The work
     * calls `keep` with its response, in the transaction of its effect.
     */
    once<T>(work: (keep: StoreResponse) => Promise<T>): Promise<T>;
    /** Admits a use against concurrency, caps and credit, after validation. It is released when the response ends. */
    admit(use: Parameters<AccessControl['admit']>[1], options?: Partial<AdmitOptions>): Promise<Admission>;
  }
}

export const PUBLIC: Requirement = { kind: 'public' };
