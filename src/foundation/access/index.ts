export { type AccessOptions, AccessService, createAccess } from './access-service.ts';
export type { CreatedAccount, Signup } from './accounts.ts';
export { canonicalOrigin } from './allowed-origins.ts';
export type { ApiKey, IssuedKey } from './api-keys.ts';
export type { BrowserToken } from './browser-tokens.ts';
export type { SessionOrigin, SignedInSession } from './console-sessions.ts';
export type * from './contract.ts';
export { ENTITLEMENTS, ROLES } from './contract.ts';
export { deploymentSecret, isPlainSecret } from './deployment-secret.ts';
export { resetPage } from './email-links.ts';
export type { ImpliedPrincipals } from './implied-principals.ts';
export type { Invitation } from './invitations.ts';
export { MailRecipients, type RecipientMail } from './mail-recipients.ts';
export type { Member } from './members.ts';
export { sourceNetwork } from './networks.ts';
export { ATTEMPT_COOKIE, type OidcSettings } from './oidc-sign-in.ts';
export { cookieValue, presentedCredential } from './presented-credential.ts';
export type { PrincipalDescription } from './principal-description.ts';
export type { Project } from './projects.ts';
export { notEntitled } from './refusals.ts';
export { DEFAULT_RETENTION, type RetentionChange, type RetentionDays } from './retention-policies.ts';
export {
  auditActorOf,
  type ChosenScope,
  isAtLeast,
  requireRole,
  tenantScopeIn,
  tenantScopeOf,
  tenantScopeOfRow,
} from './roles.ts';
export { ADMINISTRATIVE, administrativeIn, grants, SANDBOX_SCOPES, SCOPES } from './scopes.ts';
export { SEALED_EXTRA_BYTES, Sealer } from './sealer.ts';
export { describeSealingKey, SEALING_KEY_FILE, SEALING_ROWS, SealingKey } from './sealing-key.ts';
