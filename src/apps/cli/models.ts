import type { RegisterCommand } from './command.ts';

export interface FetchOptions {
  readonly only?: string;
  readonly all?: boolean;
  readonly from?: string;
}

export interface AddModelOptions {
  readonly as?: string;
  readonly yes?: boolean;
}

export interface UseOptions {
  readonly language?: string;
  readonly plan?: string;
  readonly device?: string;
}

const loadHandlers = () => import('./models-handlers.ts');
const adding = () => import('./models-add-handlers.ts');

export const registerModels: RegisterCommand = (program, context) => {
  const models = program.command('models').description('List, fetch, verify and add models.');
  models
    .command('list')
    .description('List the bundled and added models, with their licences and whether they are fetched.')
    .option('--json', 'print the list as JSON')
    .action(async ({ json }: { json?: boolean }) => (await loadHandlers()).list(context, json === true));
  models
    .command('add <source>')
    .description(
      'Add a model of your own: a folder, a file, an https:// URL, or hf:OWNER/NAME@REVISION:PATH of a model hub.',
    )
    .option('--as <name>', 'what it is called; made from its settings unless given')
    .option('--yes', 'do not ask')
    .action(async (source: string, options: AddModelOptions) =>
      (await adding()).add(context, source, options),
    );
  models
    .command('use <name>')
    .description(
      'Make a voice the default of its language ("default" restores ours), or choose the recognizer ("whisper-base" is ours).',
    )
    .option('--language <code>', "the voice's own unless given; for a recognizer, all unless given")
    .option('--plan <name>', 'for customers of this plan alone')
    .option('--device <cpu|cuda>', 'a recognizer where the engine runs on this device alone')
    .action(async (name: string, options: UseOptions) => (await adding()).use(context, name, options));
  models
    .command('remove <name>')
    .description('Remove an added model from the data folder.')
    .action(async (name: string) => (await adding()).remove(context, name));
  models
    .command('fetch')
    .description('Fetch what is missing or damaged.')
    .option('--only <ids>', 'these models alone, separated by commas')
    .option('--all', 'the optional ones too')
    .option('--from <folder>', 'take the packages from a folder; nothing is downloaded')
    .action(async (options: FetchOptions) => (await loadHandlers()).runFetcher(context, options, []));
  models
    .command('verify')
    .description('Read every byte again, and fetch damaged files.')
    .option('--only <ids>', 'these models alone, separated by commas')
    .option('--all', 'the optional ones too')
    .option('--from <folder>', 'take the packages from a folder; nothing is downloaded')
    .action(async (options: FetchOptions) => {
      await (await loadHandlers()).runFetcher(context, options, ['--verify']);
      await (await adding()).verify(context);
    });
};
