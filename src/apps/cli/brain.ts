import type { RegisterCommand } from './command.ts';

const loadHandlers = () => import('./brain-handlers.ts');
const adding = () => import('./brain-add-handlers.ts');

export interface InstallOptions {
  readonly gpu?: boolean;
  readonly model?: string;
}

export interface AddOptions {
  readonly name?: string;
  readonly default?: boolean;
}

export const registerBrain: RegisterCommand = (program, context) => {
  const brain = program.command('brain').description('Manage the language models that answer calls.');
  brain
    .command('install')
    .description('Install llama.cpp, which runs GGUF models (about 90 MB).')
    .option('--gpu', 'include the binaries for CUDA and Vulkan (about 600 MB more)')
    .option('--model <id>', 'also download a language model of `trunkline models list`, and add it')
    .action(async (options: InstallOptions) => (await loadHandlers()).install(context, options));
  brain
    .command('add <file>')
    .description('Add a GGUF model to the data folder, and print its properties and its speed.')
    .option('--name <name>', 'the name of the model for agents (default: the file name)')
    .option('--default', 'use it for agents that name no brain (the first added model always is the default)')
    .action(async (file: string, options: AddOptions) => (await adding()).add(context, file, options));
  brain
    .command('list')
    .description('List the language models that agents can name.')
    .action(async () => (await adding()).list(context));
  brain
    .command('remove <name>')
    .description('Remove an added GGUF model from the data folder.')
    .action(async (name: string) => (await adding()).remove(context, name));
  brain
    .command('check')
    .description('Send a question to each configured language model, and print its response time.')
    .action(async () => (await loadHandlers()).check(context));
};
