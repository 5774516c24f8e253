import type { Tenant, World } from './world.ts';

export interface ValidRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: () => FormData;
}

export interface Case {
  /** Creates what the operation works on for `tenant`, and returns a good request. Each use calls it again. */
  readonly good: (world: World, tenant: Tenant) => ValidRequest | Promise<ValidRequest>;
  /** The reason why success is impossible here (no model or carrier on this machine); the other checks still run. */
  readonly cannotSucceed?: string;
  /** Success needs the models; the check is skipped where they are incomplete. */
  readonly needsModels?: boolean;
  /** A success takes seconds of synthesis, so the surface's own tests send the hostile values. */
  readonly costly?: boolean;
  /** The path parameters are no resource of an organization (a voice of the catalogue, an error code). */
  readonly shared?: boolean;
  readonly lenient?: boolean;
  readonly ignoresUnknown?: boolean;
}

export type Cases = Readonly<Record<string, Case>>;

export const plain: Case = { good: () => ({}) };
