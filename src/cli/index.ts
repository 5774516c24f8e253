import { Command, CommanderError } from 'commander';
import { pino } from 'pino';
import { ConfigError, loadConfig } from '../platform/config/index.ts';
import { createLog } from '../platform/log.ts';
import { registerBrain } from './brain.ts';
import type { CliContext, RegisterCommand } from './command.ts';
import { registerCredits } from './credits.ts';
import { registerDoctor } from './doctor.ts';
import { registerKeys } from './keys.ts';
import { registerModels } from './models.ts';
import { registerServe } from './serve.ts';

const COMMANDS: readonly RegisterCommand[] = [
  registerServe,
  registerDoctor,
  registerModels,
  registerBrain,
  registerKeys,
  registerCredits,
];

const USAGE_CODE = 2;
const STANDARD_ERROR = 2;

/** Runs one command; answers with the code for the process to end with. */
export async function main(args: readonly string[], environment = process.env): Promise<number> {
  let code = 0;
  const context: CliContext = {
    environment,
    config: () => loadConfig(environment),
    log: (config) => createLog({ level: config.logLevel, destination: pino.destination(STANDARD_ERROR) }),
    out: (line) => process.stdout.write(`${line}\n`),
    error: (line) => process.stderr.write(`${line}\n`),
    exit: (given) => {
      code = given;
    },
  };
  const program = new Command('trunkline')
    .description('A voice AI platform for phone calls.')
    .showHelpAfterError()
    .exitOverride();
  for (const register of COMMANDS) register(program, context);
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_CODE;
    if (error instanceof ConfigError) {
      context.error(error.message);
      return USAGE_CODE;
    }
    throw error;
  }
}
