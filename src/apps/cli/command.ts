import type { Command as Program } from 'commander';
import type { Config } from '../../foundation/platform/config/index.ts';
import type { Log } from '../../foundation/platform/log.ts';

export interface CliContext {
  readonly environment: NodeJS.ProcessEnv;
  config(): Config;
  log(config: Config): Log;
  out(line: string): void;
  error(line: string): void;
  exit(code: number): void;
}

/** The entry point of a group of subcommands: add its `register` to the list in `index.ts`. */
export type RegisterCommand = (program: Program, context: CliContext) => void;

/** Removes control characters from an untrusted text, because a terminal would execute them. */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that a terminal obeys.
  text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]+/g, ' ');
