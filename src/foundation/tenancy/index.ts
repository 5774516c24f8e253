export type Environment = 'live' | 'sandbox';

declare const made: unique symbol;

/** Only `access` creates a tenant scope, from an authenticated caller, and every query of customer rows needs one. */
export interface TenantScope {
  readonly [made]: true;
  readonly org: string;
  readonly project: string;
  readonly environment: Environment;
}

/**
 * A role includes the ones before it: an analyst reads, a developer also manages keys, an admin also people and
 * secrets, an owner also owners.
 */
export const ROLES = ['analyst', 'developer', 'admin', 'owner'] as const;
export type MemberRole = (typeof ROLES)[number];

/**
 * The operator grants these to organizations. `telephony` and `messages` open the operator's account at a real
 * carrier, which no sandbox key ever reaches; on the loopback carrier every organization has them. Sandbox keys have
 * the others.
 */
export const ENTITLEMENTS = ['telephony', 'messages', 'trace', 'call_integrations'] as const;
export type Entitlement = (typeof ENTITLEMENTS)[number];

export type Meter =
  | 'hear'
  | 'hear_async'
  | 'speak'
  | 'omni'
  | 'agents_beta'
  | 'telephony'
  | 'amd'
  | 'messages';
