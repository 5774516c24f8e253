import type { RegisterCommand } from './command.ts';

export interface GpuInstallOptions {
  readonly dryRun?: boolean;
  readonly from?: string;
}

const loadHandlers = () => import('./gpu-handlers.ts');

export const registerGpu: RegisterCommand = (program, context) => {
  const gpu = program.command('gpu').description('Install the libraries that models need to run on a GPU.');
  gpu
    .command('install')
    .description(
      'Install the CUDA build of the inference library and the NVIDIA libraries that it needs (about 1.6 GB).',
    )
    .option('--dry-run', 'print what would be downloaded, and download nothing')
    .option('--from <folder>', 'use the packages in this folder, and download nothing')
    .action(async (options: GpuInstallOptions) => (await loadHandlers()).install(context, options));
  gpu
    .command('uninstall')
    .description('Remove the libraries. Models run on the CPU from the next start.')
    .action(async () => (await loadHandlers()).uninstall(context));
};
