import type { RegisterCommand } from './command.ts';

export interface FetchOptions {
  readonly only?: string;
  readonly all?: boolean;
  readonly from?: string;
}

const loadHandlers = () => import('./models-handlers.ts');

export const registerModels: RegisterCommand = (program, context) => {
  const models = program.command('models').description('The models: what there is, fetching, verifying.');
  models
    .command('list')
    .description('Every model of the manifest, with its licence and whether it is here.')
    .option('--json', 'print the list as JSON')
    .action(async ({ json }: { json?: boolean }) => (await loadHandlers()).list(context, json === true));
  models
    .command('fetch')
    .description('Fetch what is missing or damaged.')
    .option('--only <ids>', 'these models alone, separated by commas')
    .option('--all', 'the optional ones too')
    .option('--from <folder>', 'take the packages from a folder; nothing is downloaded')
    .action(async (options: FetchOptions) => (await loadHandlers()).runFetcher(context, options, []));
  models
    .command('verify')
    .description('Read every byte again, and fetch what is wrong.')
    .option('--only <ids>', 'these models alone, separated by commas')
    .option('--all', 'the optional ones too')
    .option('--from <folder>', 'take the packages from a folder; nothing is downloaded')
    .action(async (options: FetchOptions) =>
      (await loadHandlers()).runFetcher(context, options, ['--verify']),
    );
};
