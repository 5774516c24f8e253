import type { RegisterCommand } from './command.ts';
import type { PlanOptions } from './plans-handlers.ts';

const loadHandlers = () => import('./plans-handlers.ts');

export const registerPlans: RegisterCommand = (program, context) => {
  const plans = program.command('plans').description('Manage plans: rates, caps, quotas and upload limits.');
  plans
    .command('list')
    .description('List all plans and their limits.')
    .action(async () => (await loadHandlers()).list(context));
  plans
    .command('set')
    .description('Change a plan. A new name creates a plan from the standard plan.')
    .argument('<name>', 'sandbox, standard, scale, or your own plan')
    .option('--rps <n>', 'requests per second of a key')
    .option('--burst <n>', 'burst of requests of a key')
    .option('--concurrency <n>', 'concurrent live sessions of a key')
    .option('--daily-cap <units>', 'seconds of audio per UTC day, or none')
    .option('--quota <units>', 'seconds of audio per UTC month, or none')
    .option('--sync-bytes <n>', 'maximum size of a synchronous transcription, in bytes')
    .option('--sync-seconds <n>', 'maximum length of a synchronous transcription, in seconds')
    .option('--job-bytes <n>', 'maximum size of the recording of a job, in bytes')
    .option('--job-seconds <n>', 'maximum length of the recording of a job, in seconds')
    .option('--numbers <n>', 'maximum number of telephone numbers of an organization')
    .option('--storage <bytes>', 'maximum bytes of stored files of an organization, or none')
    .action(async (name: string, options: PlanOptions) => (await loadHandlers()).set(context, name, options));
};
