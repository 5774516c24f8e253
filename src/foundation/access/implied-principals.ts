import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../storage/index.ts';
import type { Principal, TenantScope } from './contract.ts';
import type { Entitlements } from './entitlements.ts';
import { planLimitsOf, SANDBOX_PLAN } from './plans.ts';
import { SANDBOX_SCOPES, SCOPES } from './scopes.ts';

export interface ImpliedPrincipalsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly entitlements: Entitlements;
}

/**
 * Returns the principal of work without a credential: an inbound or scheduled call, a campaign, a reply to a text
 * message. It is the project's own principal with the plan, entitlements and credit of its organization. A revoked
 * key of the resource's creator has no effect on it.
 */
export class ImpliedPrincipals {
  readonly #options: ImpliedPrincipalsOptions;

  constructor(options: ImpliedPrincipalsOptions) {
    this.#options = options;
  }

  /**
   * Returns null where the project is gone or its organization has expired. The use counts toward `chargedKey`,
   * the key that requested it.
   */
  async of(
    { org, project, environment }: TenantScope,
    chargedKey: string | null = null,
  ): Promise<Principal | null> {
    const { storage, clock, entitlements } = this.#options;
    const row = await storage.db
      .selectFrom('projects as j')
      .innerJoin('organizations as o', 'o.id', 'j.org_id')
      .innerJoin('plans as p', (join) =>
        environment === 'sandbox' ? join.on('p.id', '=', SANDBOX_PLAN) : join.onRef('p.id', '=', 'o.plan'),
      )
      .selectAll('p')
      .select('o.kind')
      .where('j.id', '=', project)
      .where('j.org_id', '=', org)
      .where('j.deleted_at', 'is', null)
      .executeTakeFirst();
    if (row === undefined) return null;
    const expiresAt = row.kind === 'anonymous' ? await this.#expiryOf(org) : null;
    if (expiresAt !== null && expiresAt <= clock.now()) return null;
    return {
      kind: 'project',
      credentialId: `${project} ${environment}`,
      orgId: org,
      projectId: project,
      keyId: chargedKey,
      userId: null,
      person: null,
      environment,
      scopes: environment === 'sandbox' ? SANDBOX_SCOPES : SCOPES,
      plan: row.id,
      limits: planLimitsOf(row),
      entitlements: await entitlements.of(org, environment),
      expiresAt,
      browser: null,
    };
  }

  async #expiryOf(org: string): Promise<number | null> {
    const keys = await this.#options.storage.db
      .selectFrom('api_keys')
      .select('expires_at')
      .where('org_id', '=', org)
      .execute();
    if (keys.some(({ expires_at }) => expires_at === null)) return null;
    return Math.max(0, ...keys.map(({ expires_at }) => Number(expires_at)));
  }
}
