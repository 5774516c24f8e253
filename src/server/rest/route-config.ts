import type { Admission, Meter, Principal, Requirement } from '../../access/contract.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the caller must hold. A route without it fails at start-up. */
    access?: Requirement;
    /** `error`: this route answers every error in the `error` envelope alone. */
    envelope?: 'error';
    /** Browsers of origins on an organization's allow-list may read the answer. */
    cors?: boolean;
    /** Codes beyond the general ones that the route answers with, for the OpenAPI description. */
    errors?: readonly import('../../platform/errors.ts').ErrorCode[];
    /** Serves while the server drains (health, metrics). */
    whileDraining?: boolean;
  }

  interface FastifyRequest {
    principal: Principal | null;
    /** The principal of a route that demands one; throws where the route is public. */
    caller(): Principal;
    /** Aborted when the client leaves before its answer is complete: long work takes it, and stores or bills nothing after. */
    gone: AbortSignal;
    /** Concurrency, caps and credit: call it once the request has been validated. Given back when the response ends. */
    admit(meter: Meter, options?: { realtime: boolean }): Promise<Admission>;
  }
}

export const PUBLIC: Requirement = { kind: 'public' };
