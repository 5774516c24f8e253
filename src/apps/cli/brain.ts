import type { RegisterCommand } from './command.ts';

const loadHandlers = () => import('./brain-handlers.ts');
const adding = () => import('./brain-add-handlers.ts');

export interface AddOptions {
  readonly name?: string;
  readonly default?: boolean;
}

export const registerBrain: RegisterCommand = (program, context) => {
  const brain = program.command('brain').description('Language models that answer calls.');
  brain
    .command('install')
    .description('Install llama.cpp, which runs GGUF models (some 90 MB).')
    .option('--gpu', 'the binaries for CUDA and Vulkan too (some 600 MB more)')
    .action(async ({ gpu }: { gpu?: boolean }) => (await loadHandlers()).install(context, gpu === true));
  brain
    .command('add <file>')
    .description('Add a GGUF model to the data folder, and print what it is and how fast it answers.')
    .option('--name <name>', 'what agents call it; the name of the file unless given')
    .option('--default', 'it answers where no brain is named; the first that is added does in any case')
    .action(async (file: string, options: AddOptions) => (await adding()).add(context, file, options));
  brain
    .command('list')
    .description('The language models that agents may name.')
    .action(async () => (await adding()).list(context));
  brain
    .command('remove <name>')
    .description('Remove an added GGUF model from the data folder.')
    .action(async (name: string) => (await adding()).remove(context, name));
  brain
    .command('check')
    .description('Ask each configured language model for a word, and print how long it took.')
    .action(async () => (await loadHandlers()).check(context));
};
