import type { RegisterCommand } from './command.ts';

export interface SetupOptions {
  readonly domain?: string;
  readonly tls?: string;
  readonly carrier?: string;
  readonly model?: string;
  readonly email?: string;
  readonly out: string;
  readonly replace?: boolean;
  readonly yes?: boolean;
}

export const registerSetup: RegisterCommand = (program, context) => {
  program
    .command('setup')
    .description(
      'Ask five questions and write the configuration file. Options can answer the questions in advance.',
    )
    .option('--domain <name>', 'the public host name, or "localhost" if only this machine uses the server')
    .option('--tls <how>', 'acme (writes a Caddyfile), proxy (your own proxy on this machine) or none')
    .option('--carrier <name>', 'none, loopback (trial numbers), twilio or sip')
    .option('--model <model>', 'none, NAME@URL of an OpenAI-compatible model, or the path of a GGUF file')
    .option('--email <address>', 'the email address of the first account, or "none" for no account')
    .option('--out <file>', 'the configuration file', 'trunkline.json')
    .option(
      '--replace',
      'overwrite an existing configuration file and Caddyfile; a copy of each is kept as FILE.before, and settings that no question asks for stay',
    )
    .option('--yes', 'ask no questions, and use the default of each option that is not given')
    .action(async (options: SetupOptions) => (await import('./setup-handlers.ts')).setUp(context, options));
};
