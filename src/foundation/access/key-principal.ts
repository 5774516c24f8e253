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
  isConsole: key.isConsole,
});

/**
 * Revoking this subject ends the principal's sessions, and they are counted by it. A project is its own
 * subject, whatever became of the key that made the request.
 */
export const subjectOf = ({ kind, keyId, credentialId }: Principal): string =>
  kind === 'project' ? credentialId : (keyId ?? credentialId);
