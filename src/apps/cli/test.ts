import { Option } from 'commander';
import type { RegisterCommand } from './command.ts';

export interface TestOptions {
  url?: string;
  key?: string;
  agent?: string;
  agentVersion?: string;
  publish?: true;
  only?: string;
  repeat?: string;
  over?: 'websocket' | 'carrier';
  fromCall?: string;
  into?: string;
  replay?: string;
  toUrl?: string;
  toKey?: string;
  junit?: string;
  html?: string;
  save?: string;
  baseline?: string;
  callerUrl?: string;
  callerModel?: string;
  check?: true;
}

export const registerTest: RegisterCommand = (program, context) => {
  program
    .command('test [suites...]')
    .description('Call agents by suites in YAML, and compare the calls with what the suites expect.')
    .option('--url <url>', 'a server that runs (TRUNKLINE_URL); without it one is started for the test')
    .option('--key <key>', 'a key of that server (TRUNKLINE_KEY)')
    .option('--agent <id>', 'call this agent in the place of the suites’ own')
    .option('--agent-version <version>', 'call this version of it, published or not')
    .option('--publish', 'tell the server what came of it, and publish the version where everything passed')
    .option('--only <text>', 'only scenarios whose name holds it')
    .option('--repeat <times>', 'play each scenario so often')
    .addOption(
      new Option('--over <way>', 'call by a WebSocket, or by telephone over the loopback carrier').choices([
        'websocket',
        'carrier',
      ]),
    )
    .option('--check', 'read the suites and say what is wrong with them, without a call')
    .option('--from-call <call_id>', 'make a suite of a call, and print it')
    .option('--into <folder>', 'write it there, with the caller’s own sound where the call was recorded')
    .option('--replay <call_id>', 'hold a call once more and compare it turn by turn')
    .option('--to-url <url>', 'hold it on this server, another build, in the place of its own')
    .option('--to-key <key>', 'a key of that server')
    .option('--junit <file>', 'write the results as JUnit XML')
    .option('--html <file>', 'write a page on which each call can be listened to')
    .option('--save <file>', 'write the results as a baseline')
    .option('--baseline <file>', 'compare with a baseline; fails where something passed before')
    .option('--caller-url <url>', 'chat completions for personas, up to /v1; its key is TRUNKLINE_CALLER_KEY')
    .option('--caller-model <name>', 'the model that plays them')
    .action(async (suites: string[], options: TestOptions) => {
      const { test } = await import('./test-handlers.ts');
      context.exit(await test(context, suites, options));
    });
};
