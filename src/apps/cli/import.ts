import type { RegisterCommand } from './command.ts';

export interface ImportOptions {
  from: string;
  url?: string;
  key?: string;
  voice?: string;
  save?: string;
  dryRun?: boolean;
}

export const registerImport: RegisterCommand = (program, context) => {
  program
    .command('import <files...>')
    .description(
      'Convert an agent exported from another platform, and list what changed and what has no counterpart.',
    )
    .requiredOption('--from <platform>', 'vapi, elevenlabs or retell')
    .option(
      '--url <url>',
      'create the agent on this server (TRUNKLINE_URL); without it, print the agent as JSON',
    )
    .option('--key <key>', 'an API key of that server (TRUNKLINE_KEY)')
    .option('--voice <name>', 'the voice of the agent (default: the voice of the account)')
    .option('--dry-run', 'create nothing, even with --url, and print JSON without secrets')
    .option(
      '--save <file>',
      'write the agent and its tools, including their secrets, as JSON to a file that only you can read',
    )
    .action(async (files: string[], options: ImportOptions) => {
      const { importAgent } = await import('./import-handlers.ts');
      context.exit(await importAgent(context, files, options));
    });
};
