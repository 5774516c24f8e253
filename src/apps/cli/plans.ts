import type { RegisterCommand } from './command.ts';
import type { PlanOptions } from './plans-handlers.ts';

const loadHandlers = () => import('./plans-handlers.ts');

export const registerPlans: RegisterCommand = (program, context) => {
  const plans = program.command('plans').description('Plans: rates, caps, quotas and upload limits.');
  plans
    .command('list')
    .description('Every plan and its limits.')
    .action(async () => (await loadHandlers()).list(context));
  plans
    .command('set')
    .description('Change a plan, or create one from standard with the change.')
    .argument('<name>', 'sandbox, standard, scale, or one of yours')
    .option('--rps <n>', 'requests a second of a key')
    .option('--burst <n>', 'requests of a key at once')
    .option('--concurrency <n>', 'live sessions of a key')
    .option('--daily-cap <units>', 'seconds of audio a UTC day, or none')
    .option('--quota <units>', 'seconds of audio a UTC month, or none')
    .option('--sync-bytes <n>', 'largest recording of a synchronous transcription')
    .option('--sync-seconds <n>', 'longest recording of a synchronous transcription')
    .option('--job-bytes <n>', 'largest recording of a job')
    .option('--job-seconds <n>', 'longest recording of a job')
    .option('--numbers <n>', 'telephone numbers that an organization has at most')
    .option('--storage <bytes>', 'bytes of files that an organization keeps, or none')
    .action(async (name: string, options: PlanOptions) => (await loadHandlers()).set(context, name, options));
};
