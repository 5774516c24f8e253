import type { Command as Program } from 'commander';
import type { Config } from '../../foundation/platform/config/index.ts';
import type { Log } from '../../foundation/platform/log.ts';

/** The context of a command. A command that prints a result writes it with `out`; the log goes to standard error. */
export interface CliContext {
  readonly environment: NodeJS.ProcessEnv;
  /** Reads and checks the configuration; throws ConfigError. */
  config(): Config;
  log(config: Config): Log;
  out(line: string): void;
  error(line: string): void;
  /** The code that the process ends with; 0 unless said. */
  exit(code: number): void;
}

/** The door for a family of subcommands: add its `register` to the list in `index.ts`. */
export type RegisterCommand = (program: Program, context: CliContext) => void;
