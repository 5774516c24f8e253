import type { Command } from 'commander';
import type { Transaction } from 'kysely';
import {
  type ApiKey,
  canonicalOrigin,
  type Environment,
  type RetentionChange,
  SANDBOX_SCOPES,
  SCOPES,
} from '../access/index.ts';
import { COMMAND_LINE } from '../audit/index.ts';
import { parseAmount } from '../billing/index.ts';
import { openRooms, type Rooms } from '../main.ts';
import { ApiError } from '../platform/errors.ts';
import type { Tables } from '../storage/index.ts';
import type { CliContext, RegisterCommand } from './command.ts';

interface CreateOptions {
  live?: true;
  sandbox?: true;
  org?: string;
  name: string;
  scopes?: string;
  budget?: string;
  credit?: string;
  origins?: string;
  plan?: string;
  days?: string;
}

interface OrganizationOptions {
  plan?: string;
  trace?: string;
  jobAudioDays?: string;
  transcriptDays?: string;
}

const DAY_MS = 86_400_000;

/** The operator's own hands on keys: no sign-in, any organization. */
export const registerKeys: RegisterCommand = (program, context) => {
  const keys = program.command('keys').description('Create, list, rotate and revoke API keys.');
  registerCreate(keys, context);
  keys
    .command('list')
    .description('List the keys of an organization, newest first.')
    .requiredOption('--org <id>', 'the organization')
    .action(({ org }: { org: string }) =>
      withRooms(context, async ({ access }) => {
        for (const key of await access.keys.list(org, null, 1000)) context.out(lineOf(key));
      }),
    );
  keys
    .command('rotate <key_id>')
    .description('Give a key a new secret and print it; the old one is refused at once.')
    .action((id: string) =>
      withRooms(context, async ({ access }) => {
        context.out((await access.keys.rotate(null, id, { by: COMMAND_LINE })).text);
      }),
    );
  keys
    .command('revoke <key_id>')
    .description('Kill a key and every session that lives by it.')
    .action((id: string) =>
      withRooms(context, async ({ access }) => {
        await access.keys.revoke(null, id, { by: COMMAND_LINE });
        context.out(`revoked ${id}`);
      }),
    );
  registerOrganization(keys, context);
  keys
    .command('referral <source>')
    .description('Print a signed token for a partner’s sign-up links (referral_token).')
    .option('--days <number>', 'days until it expires', '90')
    .action((source: string, { days }: { days: string }) =>
      withRooms(context, async ({ access }) => {
        context.out(access.accounts.referralToken(source, wholeNumber('--days', days) * DAY_MS));
      }),
    );
};

function registerCreate(keys: Command, context: CliContext): void {
  keys
    .command('create')
    .description('Create a key and print it, this once. Without --org it gets an organization of its own.')
    .option('--live', 'a production key, which uses prepaid credit')
    .option('--sandbox', 'a sandbox key (the default): free, with a daily cap')
    .option('--org <id>', 'an organization that exists')
    .option('--name <name>', 'what the key is for', 'Command line')
    .option('--scopes <list>', "separated by commas; '*' for all (the default: every scope by name)")
    .option('--budget <amount>', 'most that the key may use a month, e.g. 50 or 0.5')
    .option('--credit <amount>', 'prepaid credit to add to the organization')
    .option('--origins <list>', 'web origins to allow for browser tokens, separated by commas')
    .option('--plan <name>', 'plan of the organization’s live keys')
    .option('--days <number>', 'days until the key expires')
    .action((options: CreateOptions) => withRooms(context, (rooms) => create(rooms, context, options)));
}

async function create(rooms: Rooms, context: CliContext, options: CreateOptions): Promise<void> {
  const { access, billing, storage, clock } = rooms;
  if (options.live && options.sandbox) throw wrong('--live and --sandbox exclude each other.');
  const environment: Environment = options.live ? 'live' : 'sandbox';
  const credit = amountOf('--credit', options.credit);
  const budget = amountOf('--budget', options.budget);
  const days = options.days === undefined ? null : wholeNumber('--days', options.days);
  const origins = options.origins?.split(',').map((origin) => origin.trim());
  // Before the key is made: one that fails afterwards would be there without ever having been shown.
  origins?.forEach(mustBeOrigin);
  if (options.plan !== undefined) await mustHavePlan(rooms, options.plan);
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
      by: COMMAND_LINE,
    });
  });
  if (options.org !== undefined && options.plan !== undefined)
    await setPlan(rooms, options.org, options.plan);
  if (origins !== undefined) await access.origins.replace(key.orgId, origins);
  if (credit !== null) await billing.addCredit({ orgId: key.orgId, amountMicros: credit });
  // The key alone on standard output, so that a script can take it.
  context.error(`${key.id} of ${key.orgId} (${environment}), shown this once:`);
  context.out(key.text);
}

const defaultScopes = (environment: Environment): readonly string[] =>
  environment === 'sandbox' ? SANDBOX_SCOPES : SCOPES;

function registerOrganization(keys: Command, context: CliContext): void {
  keys
    .command('organization <org_id>')
    .description(
      'Set the plan of an organization’s live keys, what it is entitled to and how long its data is kept.',
    )
    .option('--plan <name>', 'sandbox, standard, scale, or another row of the plans')
    .option('--trace <on|off>', 'the Trace entitlement')
    .option('--job-audio-days <number|default>', 'days for which the audio of ended jobs is kept')
    .option('--transcript-days <number|default>', 'days for which transcripts are kept')
    .action((orgId: string, options: OrganizationOptions) =>
      withRooms(context, async (rooms) => {
        if (options.trace !== undefined && !['on', 'off'].includes(options.trace)) {
          throw wrong('--trace is on or off.');
        }
        // All is looked at before anything is changed.
        const retention = retentionOf(options);
        if (options.plan !== undefined) {
          await mustHavePlan(rooms, options.plan);
          await setPlan(rooms, orgId, options.plan);
        }
        if (options.trace !== undefined) {
          await rooms.access.accounts.change(orgId, { traceEntitled: options.trace === 'on' }, COMMAND_LINE);
        }
        if (retention !== null) await rooms.access.retention.change(orgId, retention, COMMAND_LINE);
        context.out(`changed ${orgId}`);
      }),
    );
}

function retentionOf(options: OrganizationOptions): RetentionChange | null {
  const { jobAudioDays, transcriptDays } = options;
  if (jobAudioDays === undefined && transcriptDays === undefined) return null;
  const days = (option: string, text: string) => (text === 'default' ? null : wholeNumber(option, text));
  return {
    ...(jobAudioDays === undefined ? {} : { jobAudio: days('--job-audio-days', jobAudioDays) }),
    ...(transcriptDays === undefined ? {} : { transcript: days('--transcript-days', transcriptDays) }),
  };
}

const setPlan = ({ access }: Rooms, orgId: string, plan: string): Promise<void> =>
  access.accounts.change(orgId, { plan }, COMMAND_LINE);

async function mustHavePlan({ storage }: Rooms, plan: string): Promise<void> {
  const plans = await storage.db.selectFrom('plans').select('id').orderBy('id').execute();
  if (plans.some(({ id }) => id === plan)) return;
  throw wrong(`There is no plan ${plan}; there are ${plans.map(({ id }) => id).join(', ')}.`);
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
  throw wrong(`--origins are https, or http on localhost, without a path: ${text} is not one.`);
}

export const wrong = (message: string): ApiError => new ApiError('invalid_request', message);

function wholeNumber(option: string, text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw wrong(`${option} is a whole number from 1 to 99999, not ${text}.`);
}

export function amountOf(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const micros = parseAmount(text);
  if (micros === null)
    throw wrong(`${option} is an amount above zero with at most six decimals, not ${text}.`);
  return micros;
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

/** Opens the rooms for one command; what the customer would be told, the operator is told. */
export async function withRooms(context: CliContext, task: (rooms: Rooms) => Promise<void>): Promise<void> {
  const config = context.config();
  const rooms = await openRooms(config, context.log(config));
  try {
    await task(rooms);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    context.error(`error: ${error.message}`);
    context.exit(1);
  } finally {
    await rooms.close();
  }
}
