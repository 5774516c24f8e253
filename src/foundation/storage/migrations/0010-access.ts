import type { Migration, MigrationBuilder } from '../migrate.ts';

const MEGABYTE = 1_000_000;
const GIGABYTE = 1_000_000_000;
const MINUTE = 60;
const HOUR = 3600;

const LIVE_UPLOADS = {
  sync_upload_bytes: 100 * MEGABYTE,
  sync_upload_seconds: 60 * MINUTE,
  job_upload_bytes: GIGABYTE,
  job_upload_seconds: 4 * HOUR,
};

const PLANS = [
  {
    id: 'sandbox',
    rps: 5,
    burst: 10,
    concurrency: 2,
    daily_cap_units: 3600,
    quota_units: null,
    sync_upload_bytes: 25 * MEGABYTE,
    sync_upload_seconds: 10 * MINUTE,
    job_upload_bytes: 100 * MEGABYTE,
    job_upload_seconds: 30 * MINUTE,
  },
  {
    id: 'standard',
    rps: 25,
    burst: 50,
    concurrency: 20,
    daily_cap_units: null,
    quota_units: null,
    ...LIVE_UPLOADS,
  },
  {
    id: 'scale',
    rps: 200,
    burst: 400,
    concurrency: 500,
    daily_cap_units: null,
    quota_units: null,
    ...LIVE_UPLOADS,
  },
];

const deploymentTables = (db: MigrationBuilder) => [
  db.schema
    .createTable('deployment_secrets')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull()),
  db.schema
    .createTable('plans')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('rps', 'integer', (column) => column.notNull())
    .addColumn('burst', 'integer', (column) => column.notNull())
    .addColumn('concurrency', 'integer', (column) => column.notNull())
    .addColumn('daily_cap_units', 'bigint')
    .addColumn('quota_units', 'bigint')
    .addColumn('sync_upload_bytes', 'bigint', (column) => column.notNull())
    .addColumn('sync_upload_seconds', 'bigint', (column) => column.notNull())
    .addColumn('job_upload_bytes', 'bigint', (column) => column.notNull())
    .addColumn('job_upload_seconds', 'bigint', (column) => column.notNull()),
  ...PLANS.map((plan) => db.insertInto('plans').values(plan)),
];

const accountTables = (db: MigrationBuilder) => [
  db.schema
    .createTable('organizations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('plan', 'text', (column) => column.notNull().references('plans.id'))
    .addColumn('trace_entitled', 'integer', (column) => column.notNull())
    .addColumn('referral', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull()),
  db.schema
    .createTable('projects')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('org_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull()),
  db.schema.createIndex('projects_org').on('projects').column('org_id'),
  db.schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('org_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull()),
  db.schema
    .createTable('network_grants')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('network', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull()),
  db.schema.createIndex('network_grants_window').on('network_grants').columns(['kind', 'network', 'at']),
];

const credentialTables = (db: MigrationBuilder) => [
  db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('org_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('secret_hash', 'text', (column) => column.notNull())
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('budget_micros', 'bigint')
    .addColumn('created_by', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('rotated_at', 'bigint'),
  db.schema.createIndex('api_keys_org').on('api_keys').columns(['org_id', 'created_at', 'id']),
  db.schema
    .createTable('allowed_origins')
    .addColumn('org_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('origin', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('allowed_origins_key', ['org_id', 'origin']),
  db.schema
    .createTable('console_sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('successor_hash', 'text')
    .addColumn('previous_hash', 'text')
    .addColumn('previous_until', 'bigint')
    .addColumn('rotated_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_seen_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint'),
  db.schema.createIndex('console_sessions_user').on('console_sessions').column('user_id'),
  db.schema
    .createTable('browser_tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key_id', 'text', (column) => column.notNull().references('api_keys.id'))
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('origin', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text')
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint'),
  db.schema.createIndex('browser_tokens_expiry').on('browser_tokens').column('expires_at'),
];

export const access: Migration = {
  number: 10,
  name: 'access',
  statements: (db) => [...deploymentTables(db), ...accountTables(db), ...credentialTables(db)],
};
