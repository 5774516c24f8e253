import type { RegisterCommand } from './command.ts';

export interface GpuInstallOptions {
  readonly dryRun?: boolean;
  readonly from?: string;
}

const loadHandlers = () => import('./gpu-handlers.ts');

export const registerGpu: RegisterCommand = (program, context) => {
  const gpu = program.command('gpu').description('Libraries that models need to run on a GPU.');
  gpu
    .command('install')
    .description(
      'Fetch the CUDA build of the inference library, and the NVIDIA libraries that it needs (some 1.6 GB).',
    )
    .option('--dry-run', 'say what would be fetched, and fetch nothing')
    .option('--from <folder>', 'take the packages from a folder; nothing is downloaded')
    .action(async (options: GpuInstallOptions) => (await loadHandlers()).install(context, options));
  gpu
    .command('uninstall')
    .description('Remove the libraries; models run on the processor from the next start on.')
    .action(async () => (await loadHandlers()).uninstall(context));
};
