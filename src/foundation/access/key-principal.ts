import type { Principal } from './contract.ts';
import type { KeyRecord } from './key-cache.ts';

export const principalOf = (key: KeyRecord): Principal => ({
  kind: 'key',
  credentialId: key.id,
  orgId: key.orgId,
  projectId: key.projectId,
  keyId: key.id,
  userId: null,
  person: null,
  environment: key.environment,
  scopes: key.scopes,
  plan: key.plan,
  limits: key.limits,
  entitlements: key.entitlements,
  expiresAt: key.expiresAt,
  browser: null,
});

/** What ends it, and what its live sessions are counted by: the key that it counts as; a project by itself, whatever became of
 * the key that asked. */
export const subjectOf = ({ kind, keyId, credentialId }: Principal): string =>
  kind === 'project' ? credentialId : (keyId ?? credentialId);
