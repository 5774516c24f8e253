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
 * The subject's sessions end with its revocation, and limits count by it. A project is its own subject, whatever
 * happened to the key that made the request.
 */
export const subjectOf = ({ kind, keyId, credentialId }: Principal): string =>
  kind === 'project' ? credentialId : (keyId ?? credentialId);
