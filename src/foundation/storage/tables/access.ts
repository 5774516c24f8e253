import type { Generated } from 'kysely';
import type { Entitlement, MemberRole } from '../../tenancy/index.ts';

export interface DeploymentSecretRow {
  name: string;
  value: string;
  created_at: number;
}

export interface PlanRow {
  id: string;
  rps: number;
  burst: number;
  concurrency: number;
  daily_cap_units: number | null;
  quota_units: number | null;
  sync_upload_bytes: number;
  sync_upload_seconds: number;
  job_upload_bytes: number;
  job_upload_seconds: number;
  storage_bytes: number | null;
  numbers_max: number;
}

export interface OrganizationRow {
  id: string;
  name: string;
  /** An `anonymous` organization was created for a minted sandbox key and has no members. */
  kind: 'account' | 'anonymous';
  plan: string;
  /** Only nodes of the version before `organization_entitlements` read it. */
  trace_entitled: number;
  calls_entitled: Generated<number>;
  referral: string | null;
  credit_low_at: Generated<number | null>;
  created_at: number;
}

export interface EntitlementRow {
  org_id: string;
  name: Entitlement;
  granted_at: number;
}

export interface ProjectRow {
  id: string;
  org_id: string;
  name: string;
  created_at: number;
  /** It is null while the project exists. A deleted project has lost its data; keys and usage still refer to it. */
  deleted_at: Generated<number | null>;
}

export interface UserRow {
  id: string;
  org_id: string;
  email: string;
  name: string;
  password_hash: string;
  role: MemberRole;
  oidc_subject: string | null;
  created_at: number;
  email_verified_at: number | null;
}

export interface EmailLinkRow {
  hash: string;
  user_id: string;
  expires_at: number;
}

export interface PasswordResetRow {
  hash: string;
  user_id: string;
  expires_at: number;
}

export interface ProjectMemberRow {
  project_id: string;
  user_id: string;
}

export interface InvitationRow {
  id: string;
  org_id: string;
  email: string;
  role: MemberRole;
  project_ids: string;
  hash: string;
  invited_by: string;
  created_at: number;
  expires_at: number;
}

export interface OidcAttemptRow {
  state: string;
  nonce: string;
  verifier: string;
  expires_at: number;
  user_id: string | null;
}

export interface OidcArrivalRow {
  hash: string;
  subject: string;
  email: string;
  name: string;
  expires_at: number;
}

export interface MailRecipientRow {
  org_id: string;
  email: string;
  hash: string;
  asked_at: number;
  confirmed_at: number | null;
  /** The recipient unsubscribed; the organization cannot ask again. */
  declined_at: number | null;
}

export interface MailCountRow {
  id: string;
  kind: 'invitation' | 'confirmation' | 'event' | 'notice';
  org_id: string | null;
  email: string;
  at: number;
}

export interface ApiKeyRow {
  id: string;
  org_id: string;
  project_id: string;
  name: string;
  environment: 'live' | 'sandbox';
  scopes: string;
  secret_hash: string;
  hint: string;
  /** The budget is in micro-units for a UTC month; null means none. */
  budget_micros: number | null;
  created_by: string | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  rotated_at: number | null;
  session_id: string | null;
}

export interface AllowedOriginRow {
  org_id: string;
  origin: string;
  created_at: number;
}

export interface ConsoleSessionRow {
  id: string;
  user_id: string;
  org_id: string;
  hash: string;
  /** A rotation issued it, but it was not used yet; the old secret stays valid until then. */
  successor_hash: string | null;
  /** The previous secret is valid for a short time for requests in flight; a later use counts as theft. */
  previous_hash: string | null;
  previous_until: number | null;
  rotated_at: number;
  created_at: number;
  last_seen_at: number;
  expires_at: number;
  revoked_at: number | null;
  source: string | null;
  agent: string | null;
}

export interface BrowserTokenRow {
  id: string;
  key_id: string;
  org_id: string;
  origin: string;
  agent_id: string | null;
  hash: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
  /** The column is a JSON array of the fields of `configure` that the page may set; null means all. */
  configurable: string | null;
  session: string | null;
  /** With 1, the token can be used any number of times until it expires; with null it opens one session. */
  is_grant: number | null;
}

export interface NetworkGrantRow {
  id: string;
  kind: 'signup' | 'sandbox_key' | 'password_reset';
  network: string;
  at: number;
}

/** Null fields follow the deployment's default. */
export interface RetentionRow {
  org_id: string;
  job_audio_days: number | null;
  transcript_days: number | null;
  transcript_offload_days: number | null;
  compliance_days: number | null;
  recording_days: number | null;
}

export interface AccessTables {
  deployment_secrets: DeploymentSecretRow;
  plans: PlanRow;
  organizations: OrganizationRow;
  organization_entitlements: EntitlementRow;
  projects: ProjectRow;
  users: UserRow;
  email_links: EmailLinkRow;
  password_resets: PasswordResetRow;
  project_members: ProjectMemberRow;
  invitations: InvitationRow;
  oidc_attempts: OidcAttemptRow;
  oidc_arrivals: OidcArrivalRow;
  mail_recipients: MailRecipientRow;
  mail_counts: MailCountRow;
  api_keys: ApiKeyRow;
  allowed_origins: AllowedOriginRow;
  console_sessions: ConsoleSessionRow;
  browser_tokens: BrowserTokenRow;
  network_grants: NetworkGrantRow;
  retention: RetentionRow;
}
