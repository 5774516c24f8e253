import type { Environment } from '../../tenancy/index.ts';

/** A customer's own key of a speech service elsewhere. */
export interface ProviderKeyRow {
  readonly id: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: Environment;
  readonly purpose: 'voice' | 'recognition';
  /** Unique in the project and environment, by purpose. */
  readonly name: string;
  readonly kind: string;
  /** JSON, without secrets. */
  readonly settings: string;
  /** Sealed. */
  readonly secret: string;
  readonly created_at: number;
  /** Rises with every change: providers that were opened with an earlier key stop serving. */
  readonly updated_at: number;
}

export interface ProvidersTables {
  provider_keys: ProviderKeyRow;
}
