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
    .description('List the bundled and added models, with their licences and whether they are downloaded.')
    .option('--json', 'print the list as JSON')
    .action(async ({ json }: { json?: boolean }) => (await loadHandlers()).list(context, json === true));
  models
    .command('add <source>')
    .description(
      'Add your own model from a folder, a file, an https:// URL, or hf:OWNER/NAME@REVISION:PATH of a model hub.',
    )
    .option('--as <name>', 'the name of the model (default: derived from its settings)')
    .option('--yes', 'do not ask for confirmation')
    .action(async (source: string, options: AddModelOptions) =>
      (await adding()).add(context, source, options),
    );
  models
    .command('use <name>')
    .description(
      'Set the default voice of a language ("default" restores the bundled one), the recognizer ("whisper-base" is bundled), the Moonshine of English partials ("moonshine-tiny-en"), the embedding model of knowledge bases ("minilm-l6" and "e5-small" are), or the speaker encoder ("campplus" is).',
    )
    .option(
      '--language <code>',
      'the language (default: that of the voice; for a recognizer, all; for an embedding model, those that it knows)',
    )
    .option('--plan <name>', 'apply only to customers of this plan')
    .option(
      '--device <cpu|cuda>',
      'for a recognizer, a Moonshine or a voice: apply only if the engine runs on this device',
    )
    .action(async (name: string, options: UseOptions) => (await adding()).use(context, name, options));
  models
    .command('remove <name>')
    .description('Remove an added model from the data folder.')
    .action(async (name: string) => (await adding()).remove(context, name));
  models
    .command('fetch')
    .description('Download missing and damaged models.')
    .option('--only <ids>', 'only these models, separated by commas')
    .option('--all', 'include the optional models')
    .option('--from <folder>', 'use the packages in this folder, and download nothing')
    .action(async (options: FetchOptions) => {
      await (await loadHandlers()).runFetcher(context, options, []);
    });
  models
    .command('verify')
    .description('Verify every file, and download damaged files again.')
    .option('--only <ids>', 'only these models, separated by commas')
    .option('--all', 'include the optional models')
    .option('--from <folder>', 'use the packages in this folder, and download nothing')
    .action(async (options: FetchOptions) => {
      await (await loadHandlers()).runFetcher(context, options, ['--verify']);
      await (await adding()).verify(context);
    });
};
