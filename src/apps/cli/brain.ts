import type { RegisterCommand } from './command.ts';

const loadHandlers = () => import('./brain-handlers.ts');
const adding = () => import('./brain-add-handlers.ts');

export interface AddOptions {
  readonly name?: string;
  readonly default?: boolean;
}

export const registerBrain: RegisterCommand = (program, context) => {
  const brain = program.command('brain').description('The language models that answer on Omni.');
  brain
    .command('install')
    .description('Install what a GGUF model of TRUNKLINE_BRAIN_GGUF runs in (llama.cpp, some 90 MB).')
    .option('--gpu', 'the binaries for CUDA and Vulkan too (some 600 MB more)')
    .action(async ({ gpu }: { gpu?: boolean }) => (await loadHandlers()).install(context, gpu === true));
  brain
    .command('add <file>')
    .description('Add a GGUF model to the folder of data, and say what it is and how quickly it answers.')
    .option('--name <name>', 'what agents call it; the name of the file unless given')
    .option('--default', 'it answers where no brain is named; the first that is added does in any case')
    .action(async (file: string, options: AddOptions) => (await adding()).add(context, file, options));
  brain
    .command('list')
    .description('The language models that agents may name.')
    .action(async () => (await adding()).list(context));
  brain
    .command('remove <name>')
    .description('Take a GGUF model that was added out of the folder of data.')
    .action(async (name: string) => (await adding()).remove(context, name));
  brain
    .command('check')
    .description('Ask each configured language model for a word, and say how long it took.')
    .action(async () => (await loadHandlers()).check(context));
};
