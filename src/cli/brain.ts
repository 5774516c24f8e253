import type { RegisterCommand } from './command.ts';

const work = () => import('./brain-work.ts');

export const registerBrain: RegisterCommand = (program, context) => {
  const brain = program.command('brain').description('The language models that answer on Omni.');
  brain
    .command('install')
    .description('Install what a GGUF model of TRUNKLINE_BRAIN_GGUF runs in (llama.cpp, some 90 MB).')
    .option('--gpu', 'the binaries for CUDA and Vulkan too (some 600 MB more)')
    .action(async ({ gpu }: { gpu?: boolean }) => (await work()).install(context, gpu === true));
  brain
    .command('check')
    .description('Ask each configured language model for a word, and say how long it took.')
    .action(async () => (await work()).check(context));
};
