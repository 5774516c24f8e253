import type { Transaction } from 'kysely';
import {
  type ApiKey,
  canonicalOrigin,
  type Entitlement,
  type Environment,
  type RetentionChange,
  SANDBOX_SCOPES,
  SCOPES,
} from '../../foundation/access/index.ts';
import { COMMAND_LINE_ACTOR } from '../../foundation/audit/index.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Tables } from '../../foundation/storage/index.ts';
import type { CoreServices } from '../../main/main.ts';
import type { CliContext } from './command.ts';
import { amountOf, usageError, wholeNumber, withCoreServices } from './core-services.ts';
import type { CreateOptions, OrganizationOptions } from './keys.ts';

const DAY_MS = 86_400_000;

export const create = (context: CliContext, options: CreateOptions): Promise<void> =>
  withCoreServices(context, (services) => createIn(services, context, options));

async function createIn(services: CoreServices, context: CliContext, options: CreateOptions): Promise<void> {
  const { access, billing, storage, clock } = services;
  if (options.live && options.sandbox) throw usageError('--live and --sandbox cannot be used together.');
  const environment: Environment = options.live ? 'live' : 'sandbox';
  const credit = amountOf('--credit', options.credit);
  const budget = amountOf('--budget', options.budget);
  const days = options.days === undefined ? null : wholeNumber('--days', options.days);
  const origins = options.origins?.split(',').map((origin) => origin.trim());
  // The check precedes the key's creation: a failure afterwards would leave a key that was never shown.
  origins?.forEach(mustBeOrigin);
  if (options.plan !== undefined) await mustHavePlan(services, options.plan);
  const key = await storage.transaction(async (transaction) => {
    const place = options.org
      ? await existing(transaction, options.org)
      : await access.accounts.makeOrganization(transaction, {
          name: options.name,
          kind: 'account',
          referral: null,
          ...(options.plan === undefined ? {} : { plan: options.plan }),
        });
    return await access.keys.createIn(transaction, {
      orgId: place.organization.id,
      projectId: place.project.id,
      name: options.name,
      environment,
      scopes: options.scopes?.split(',').map((scope) => scope.trim()) ?? defaultScopes(environment),
      budgetMicros: budget,
      expiresAt: days === null ? null : clock.now() + days * DAY_MS,
      createdBy: null,
      by: COMMAND_LINE_ACTOR,
    });
  });
  if (options.org !== undefined && options.plan !== undefined)
    await setPlan(services, options.org, options.plan);
  if (origins !== undefined) await access.origins.replace(key.orgId, origins, COMMAND_LINE_ACTOR);
  if (credit !== null) await billing.addCredit({ orgId: key.orgId, amountMicros: credit });
  // Standard output has only the key, so that a script can capture it.
  context.error(`${key.id} of ${key.orgId} (${environment}); it is shown only once:`);
  context.out(key.text);
}

const defaultScopes = (environment: Environment): readonly string[] =>
  environment === 'sandbox' ? SANDBOX_SCOPES : SCOPES;

export const list = (context: CliContext, orgId: string): Promise<void> =>
  withCoreServices(context, async ({ access }) => {
    for (const key of await access.keys.list(orgId, null, 1000)) context.out(lineOf(key));
  });

export const rotate = (context: CliContext, id: string): Promise<void> =>
  withCoreServices(context, async ({ access }) => {
    context.out((await access.keys.rotate(null, id, { by: COMMAND_LINE_ACTOR })).text);
  });

export const revoke = (context: CliContext, id: string): Promise<void> =>
  withCoreServices(context, async ({ access }) => {
    await access.keys.revoke(null, id, { by: COMMAND_LINE_ACTOR });
    context.out(`revoked ${id}`);
  });

export const referral = (context: CliContext, source: string, days: string): Promise<void> =>
  withCoreServices(context, async ({ access }) => {
    context.out(access.accounts.referralToken(source, wholeNumber('--days', days) * DAY_MS));
  });

function onOff(name: Entitlement, option: string, said: string | undefined): [Entitlement, boolean][] {
  if (said === undefined) return [];
  if (!['on', 'off'].includes(said)) throw usageError(`${option} must be on or off.`);
  return [[name, said === 'on']];
}

export const changeOrganization = (
  context: CliContext,
  orgId: string,
  options: OrganizationOptions,
): Promise<void> =>
  withCoreServices(context, async (services) => {
    const entitled = [
      ...onOff('trace', '--trace', options.trace),
      ...onOff('call_integrations', '--call-integrations', options.callIntegrations),
    ];
    const retention = retentionOf(options);
    if (options.plan !== undefined) {
      await mustHavePlan(services, options.plan);
      await setPlan(services, orgId, options.plan);
    }
    for (const [name, granted] of entitled)
      await services.access.entitlements.set(orgId, name, granted, COMMAND_LINE_ACTOR);
    if (retention !== null) await services.access.retention.change(orgId, retention, COMMAND_LINE_ACTOR);
    context.out(`changed ${orgId}`);
  });

function retentionOf(options: OrganizationOptions): RetentionChange | null {
  const { jobAudioDays, transcriptDays, transcriptOffloadDays, recordingDays, complianceDays } = options;
  const said = [jobAudioDays, transcriptDays, transcriptOffloadDays, recordingDays, complianceDays];
  if (said.every((each) => each === undefined)) return null;
  const days = (option: string, text: string) => (text === 'default' ? null : wholeNumber(option, text));
  return {
    ...(jobAudioDays === undefined ? {} : { jobAudio: days('--job-audio-days', jobAudioDays) }),
    ...(transcriptDays === undefined ? {} : { transcript: days('--transcript-days', transcriptDays) }),
    ...(transcriptOffloadDays === undefined
      ? {}
      : { transcriptOffload: days('--transcript-offload-days', transcriptOffloadDays) }),
    ...(recordingDays === undefined ? {} : { recording: days('--recording-days', recordingDays) }),
    ...(complianceDays === undefined ? {} : { compliance: days('--compliance-days', complianceDays) }),
  };
}

const setPlan = ({ access }: CoreServices, orgId: string, plan: string): Promise<void> =>
  access.accounts.change(orgId, { plan }, COMMAND_LINE_ACTOR);

async function mustHavePlan({ storage }: CoreServices, plan: string): Promise<void> {
  const plans = await storage.db.selectFrom('plans').select('id').orderBy('id').execute();
  if (plans.some(({ id }) => id === plan)) return;
  throw usageError(`There is no plan ${plan}; valid plans are ${plans.map(({ id }) => id).join(', ')}.`);
}

async function existing(transaction: Transaction<Tables>, orgId: string) {
  const project = await transaction
    .selectFrom('projects')
    .select(['id', 'name'])
    .where('org_id', '=', orgId)
    .orderBy('created_at')
    .executeTakeFirst();
  if (project === undefined) throw new ApiError('not_found', `There is no organization ${orgId}.`);
  return { organization: { id: orgId }, project };
}

function mustBeOrigin(text: string): void {
  if (canonicalOrigin(text) !== null) return;
  throw usageError(
    `--origins must be https origins, or http origins on localhost, without a path, not ${text}.`,
  );
}

const lineOf = (key: ApiKey): string =>
  [
    key.id,
    key.environment,
    key.revokedAt === null ? 'active' : 'revoked',
    key.hint,
    key.scopes.join(','),
    key.name,
  ].join('\t');
