import type { Generated } from 'kysely';
import type { Entitlement, MemberRole } from '../../tenancy/index.ts';

/** Rows of the tables that the access module owns. */

export interface DeploymentSecretRow {
  name: string;
  /** Hex. */
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
  /** Bytes of files that an organization keeps; null: no quota. */
  storage_bytes: number | null;
  /** Telephone numbers that an organization has at most. */
  numbers_max: number;
}

export interface OrganizationRow {
  id: string;
  name: string;
  /** `anonymous`: made for a minted sandbox key; nobody signs in to it. */
  kind: 'account' | 'anonymous';
  /** The plan of its live keys; sandbox keys always have the plan `sandbox`. */
  plan: string;
  /** Read by the version before `organization_entitlements` alone. */
  trace_entitled: number;
  calls_entitled: Generated<number>;
  /** JSON of a verified referral, or null. */
  referral: string | null;
  /** Since when its credit is low, and it was told so. */
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
  /** A deleted project has lost its own data; keys and usage still name it. It is null while the project lives. */
  deleted_at: Generated<number | null>;
}

export interface UserRow {
  id: string;
  org_id: string;
  /** The address is in lower case and unique. */
  email: string;
  name: string;
  /** A person who signs in through the identity provider alone has an empty one. */
  password_hash: string;
  role: MemberRole;
  /** The identity provider's name for the person; null: never came through it. */
  oidc_subject: string | null;
  created_at: number;
  /** The time at which a mail link confirmed the address; null until then. */
  email_verified_at: number | null;
}

/** A link in a mail that confirms the address of an account. */
export interface EmailLinkRow {
  hash: string;
  user_id: string;
  expires_at: number;
}

/** A link by which a person sets their password anew; of two the later one. */
export interface PasswordResetRow {
  hash: string;
  user_id: string;
  expires_at: number;
}

/** The projects of a person who does not reach all of them. */
export interface ProjectMemberRow {
  project_id: string;
  user_id: string;
}

/** Gone once it is accepted or withdrawn. */
export interface InvitationRow {
  id: string;
  org_id: string;
  email: string;
  role: MemberRole;
  /** JSON array: the projects that a person of this role reaches. */
  project_ids: string;
  hash: string;
  invited_by: string;
  created_at: number;
  expires_at: number;
}

/** A sign-in that was sent to the identity provider and has not come back. */
export interface OidcAttemptRow {
  state: string;
  nonce: string;
  verifier: string;
  expires_at: number;
  /** The signed-in person whose account is to be joined; null: whoever comes back. */
  user_id: string | null;
}

/** Whoever came back from the identity provider, has no account and is invited: they choose what they join. */
export interface OidcArrivalRow {
  hash: string;
  subject: string;
  email: string;
  name: string;
  expires_at: number;
}

/** An address that an organization wants to send events to. */
export interface MailRecipientRow {
  org_id: string;
  email: string;
  hash: string;
  asked_at: number;
  confirmed_at: number | null;
  /** The recipient wants no mail of the organization; it can't ask again. */
  declined_at: number | null;
}

/** One mail that was sent for an organization, or one invitation, for the caps of a rolling day. */
export interface MailCountRow {
  id: string;
  kind: 'invitation' | 'confirmation' | 'event' | 'notice';
  /** A mail that is sent for no organization has null. */
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
  /** JSON array. */
  scopes: string;
  secret_hash: string;
  /** The first characters, which may be shown. */
  hint: string;
  /** Most that it may use a UTC month, in micro-units; null: no budget. */
  budget_micros: number | null;
  /** The user, or null for the operator and for a minted key. */
  created_by: string | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  rotated_at: number | null;
  /** The console session that it lives by; null: a key of its own. */
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
  /** Handed out by a rotation and not used yet: the old one is good until this one is seen. */
  successor_hash: string | null;
  /** The one before, good for a moment for requests that were on their way; later it is a stolen one. */
  previous_hash: string | null;
  previous_until: number | null;
  rotated_at: number;
  created_at: number;
  last_seen_at: number;
  expires_at: number;
  revoked_at: number | null;
  /** The session's network address and user agent. */
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
  /** JSON array: the fields of `configure` that the page may set; null: all. */
  configurable: string | null;
  /** JSON object: what is settled of the session that it opens; null: nothing. */
  session: string | null;
  /** 1: it is used any number of times while it lives; null: it opens one session. */
  is_grant: number | null;
}

/** The caps of the rolling window count these grants by source network. */
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
