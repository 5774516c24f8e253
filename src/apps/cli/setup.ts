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
    .description('Ask five questions and write the configuration file; each option answers one of them.')
    .option('--domain <name>', 'the public host name, or "localhost" for this machine alone')
    .option('--tls <how>', 'acme (writes a Caddyfile), proxy (a proxy of yours on this machine) or none')
    .option('--carrier <name>', 'none, loopback (trial numbers), twilio or sip')
    .option('--model <model>', 'none, NAME@URL of an OpenAI-compatible model, or the path of a GGUF file')
    .option('--email <address>', 'the first account; "none" makes none')
    .option('--out <file>', 'the configuration file', 'trunkline.json')
    .option('--replace', 'write over a configuration file that is there; its secrets are kept')
    .option('--yes', 'ask nothing: what no option says takes its default')
    .action(async (options: SetupOptions) => (await import('./setup-handlers.ts')).setUp(context, options));
};
