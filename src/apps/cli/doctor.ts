import { Option } from 'commander';
import type { RegisterCommand } from './command.ts';
import type { DoctorOptions } from './doctor-handlers.ts';

export const registerDoctor: RegisterCommand = (program, context) => {
  program
    .command('doctor')
    .description('Report what works on this machine, what does not, and why.')
    .option('--json', 'print the findings as JSON')
    .addOption(
      new Option(
        '--fix',
        'repair what needs no root access (set up the checkout, download models), then report',
      ).conflicts('json'),
    )
    .option('--egress', 'list each external host that the server may call, and why')
    .action(async (options: DoctorOptions) =>
      (await import('./doctor-handlers.ts')).report(context, options),
    );
};
