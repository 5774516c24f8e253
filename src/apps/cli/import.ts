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
      'Make an agent of one that another platform exported, and say what changed and what has no counterpart.',
    )
    .requiredOption('--from <platform>', 'vapi, elevenlabs or retell')
    .option(
      '--url <url>',
      'the server that gets the agent (TRUNKLINE_URL); without it nothing is made, and JSON is printed',
    )
    .option('--key <key>', 'a key of that server (TRUNKLINE_KEY)')
    .option('--voice <name>', 'the voice of the agent; the account’s voice by default')
    .option('--dry-run', 'create nothing, even with --url, and print JSON without secrets')
    .option(
      '--save <file>',
      'write the bodies of the agent and its tools as JSON, with their secrets, for you alone',
    )
    .action(async (files: string[], options: ImportOptions) => {
      const { importAgent } = await import('./import-handlers.ts');
      context.exit(await importAgent(context, files, options));
    });
};
