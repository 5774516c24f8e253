import type { Command } from 'commander';
import type { CliContext, RegisterCommand } from './command.ts';

export interface CreateOptions {
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

export interface OrganizationOptions {
  plan?: string;
  trace?: string;
  callIntegrations?: string;
  jobAudioDays?: string;
  transcriptDays?: string;
  transcriptOffloadDays?: string;
  recordingDays?: string;
  complianceDays?: string;
}

/** The handlers load when a command runs, so that help does not wait for the modules. */
const loadHandlers = () => import('./keys-handlers.ts');

export const registerKeys: RegisterCommand = (program, context) => {
  const keys = program.command('keys').description('Create, list, rotate and revoke API keys.');
  registerCreate(keys, context);
  keys
    .command('list')
    .description('List the keys of an organization, newest first.')
    .requiredOption('--org <id>', 'the organization')
    .action(async ({ org }: { org: string }) => (await loadHandlers()).list(context, org));
  keys
    .command('rotate <key_id>')
    .description('Create a new secret for a key and print it. The old secret stops working immediately.')
    .action(async (id: string) => (await loadHandlers()).rotate(context, id));
  keys
    .command('revoke <key_id>')
    .description('Revoke a key and close the sessions that use it.')
    .action(async (id: string) => (await loadHandlers()).revoke(context, id));
  registerOrganization(keys, context);
  keys
    .command('referral <source>')
    .description('Print a signed token for a partner’s sign-up links (referral_token).')
    .option('--days <number>', 'days until it expires', '90')
    .action(async (source: string, { days }: { days: string }) =>
      (await loadHandlers()).referral(context, source, days),
    );
};

function registerCreate(keys: Command, context: CliContext): void {
  keys
    .command('create')
    .description('Create a key and print it once. Without --org, a new organization is created for it.')
    .option('--live', 'a production key, which uses prepaid credit')
    .option('--sandbox', 'a sandbox key (the default): free, with a daily cap')
    .option('--org <id>', 'the existing organization that the key belongs to')
    .option('--name <name>', 'what the key is for', 'Command line')
    .option('--scopes <list>', "separated by commas; '*' for all (the default: every scope by name)")
    .option('--budget <amount>', 'monthly spending limit of the key, such as 50 or 0.5')
    .option('--credit <amount>', 'prepaid credit to add to the organization')
    .option('--origins <list>', 'web origins to allow for browser tokens, separated by commas')
    .option('--plan <name>', 'plan of the organization’s live keys')
    .option('--days <number>', 'days until the key expires')
    .action(async (options: CreateOptions) => (await loadHandlers()).create(context, options));
}

function registerOrganization(keys: Command, context: CliContext): void {
  keys
    .command('organization <org_id>')
    .description('Set the plan of an organization’s live keys, its entitlements and its retention.')
    .option('--plan <name>', 'sandbox, standard, scale, or your own plan')
    .option('--trace <on|off>', 'the Trace entitlement')
    .option('--call-integrations <on|off>', 'the entitlement to import calls from other providers')
    .option('--job-audio-days <number|default>', 'days that the audio of ended jobs is kept')
    .option('--transcript-days <number|default>', 'days that transcripts are kept')
    .option(
      '--transcript-offload-days <number|default>',
      'days after which call transcripts move to the blob store',
    )
    .option('--recording-days <number|default>', 'days that call recordings are kept')
    .option('--compliance-days <number|default>', 'days that documents of ended compliance cases are kept')
    .action(async (orgId: string, options: OrganizationOptions) =>
      (await loadHandlers()).changeOrganization(context, orgId, options),
    );
}
