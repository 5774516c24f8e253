import type { Tenant, World } from './world.ts';

/** A request that the operation must answer with success. */
export interface ValidRequest {
  /** Values of the path's parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly form?: () => FormData;
}

/** This is what the frame needs to know of one operation; everything else it reads from the description. */
export interface Case {
  /** Makes what the operation works on, for `tenant`, and answers with a good request. Called anew for each use. */
  readonly good: (world: World, tenant: Tenant) => ValidRequest | Promise<ValidRequest>;
  /** Said when success cannot be had here (a model or a carrier is not on this machine); the other checks go on. */
  readonly cannotSucceed?: string;
  /** Success needs the models; where they are not whole it is not asked for. */
  readonly needsModels?: boolean;
  /** A success takes seconds of synthesis: hostile values are left to the surface’s own tests. */
  readonly costly?: boolean;
  /** Path parameters that are no resource of an organization (a voice of the catalogue, an error code). */
  readonly shared?: boolean;
  /** Values of path parameters that are hostile or unknown and yet served (an alias, a default). */
  readonly lenient?: boolean;
  /** A vendor's route that ignores the query parameters and fields that it does not know. */
  readonly ignoresUnknown?: boolean;
}

/** `POST /v1/keys` and its case. */
export type Cases = Readonly<Record<string, Case>>;

export const plain: Case = { good: () => ({}) };
