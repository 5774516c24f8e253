import { Command, CommanderError } from 'commander';
import { StartError } from '../../foundation/platform/start-error.ts';
import type { CliContext, RegisterCommand } from './command.ts';

const COMMANDS: Readonly<Record<string, () => Promise<RegisterCommand>>> = {
  serve: async () => (await import('./serve.ts')).registerServe,
  setup: async () => (await import('./setup.ts')).registerSetup,
  doctor: async () => (await import('./doctor.ts')).registerDoctor,
  models: async () => (await import('./models.ts')).registerModels,
  gpu: async () => (await import('./gpu.ts')).registerGpu,
  brain: async () => (await import('./brain.ts')).registerBrain,
  keys: async () => (await import('./keys.ts')).registerKeys,
  organizations: async () => (await import('./organizations.ts')).registerOrganizations,
  people: async () => (await import('./people.ts')).registerPeople,
  users: async () => (await import('./users.ts')).registerUsers,
  plans: async () => (await import('./plans.ts')).registerPlans,
  prices: async () => (await import('./prices.ts')).registerPrices,
  credits: async () => (await import('./credits.ts')).registerCredits,
  flow: async () => (await import('./flow.ts')).registerFlow,
  import: async () => (await import('./import.ts')).registerImport,
  backup: async () => (await import('./backup.ts')).registerBackup,
  restore: async () => (await import('./backup.ts')).registerRestore,
  replay: async () => (await import('./replay.ts')).registerReplay,
  measure: async () => (await import('./measure.ts')).registerMeasure,
  test: async () => (await import('./test.ts')).registerTest,
};

const USAGE_CODE = 2;
const START_CODE = 1;
const STANDARD_ERROR = 2;

export async function main(args: readonly string[], environment = process.env): Promise<number> {
  process.stdout.off('error', onOutputError).on('error', onOutputError);
  let code = 0;
  let ground: Awaited<ReturnType<typeof readGround>>;
  const context: CliContext = {
    environment,
    config: () => ground.loadConfig(environment),
    log: (config) =>
      ground.createLog({ level: config.logLevel, destination: ground.pino.destination(STANDARD_ERROR) }),
    out: (line) => process.stdout.write(`${line}\n`),
    error: (line) => process.stderr.write(`${line}\n`),
    exit: (given) => {
      code = given;
    },
  };
  const program = new Command('trunkline')
    .description('A voice AI platform for phone calls.')
    .option('-V, --version', 'print the version')
    .showHelpAfterError()
    .exitOverride()
    .hook('preAction', async () => {
      ground = await readGround();
    });
  for (const register of await commandsFor(args[0])) register(program, context);
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_CODE;
    if (error instanceof Error && error.name === 'ConfigError') {
      context.error(error.message);
      return USAGE_CODE;
    }
    if (error instanceof StartError) {
      context.error(`error: ${error.message}`);
      return START_CODE;
    }
    throw error;
  }
}

/** A reader such as `head` closes the pipe when it has read enough; what it does not read is dropped. */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

const readGround = async () => ({
  ...(await import('../../foundation/platform/config/index.ts')),
  ...(await import('../../foundation/platform/log.ts')),
  ...(await import('pino')),
});

function commandsFor(name = ''): Promise<RegisterCommand[]> {
  const called = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return Promise.all((called ? [called] : Object.values(COMMANDS)).map((read) => read()));
}
