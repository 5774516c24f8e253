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
    .description('Run test suites (YAML) that call agents, and compare the calls with the expected results.')
    .option(
      '--url <url>',
      'a running server (TRUNKLINE_URL); without it, the command starts one for the test',
    )
    .option('--key <key>', 'an API key of that server (TRUNKLINE_KEY)')
    .option('--agent <id>', 'call this agent instead of those in the suites')
    .option('--agent-version <version>', 'call this version of the agent, published or not')
    .option('--publish', 'report the results to the server, and publish the version if every scenario passed')
    .option('--only <text>', 'run only scenarios whose name contains this text')
    .option('--repeat <times>', 'run each scenario this many times')
    .addOption(
      new Option('--over <way>', 'call over a WebSocket, or by telephone over the loopback carrier').choices([
        'websocket',
        'carrier',
      ]),
    )
    .option('--check', 'check the suites for errors, without calls')
    .option('--from-call <call_id>', 'create a suite from a call, and print it')
    .option(
      '--into <folder>',
      'write the suite to this folder, with the caller’s audio if the call was recorded',
    )
    .option('--replay <call_id>', 'repeat a call, and compare it turn by turn')
    .option('--to-url <url>', 'repeat the call on this server, such as another build')
    .option('--to-key <key>', 'an API key of that server')
    .option('--junit <file>', 'write the results as JUnit XML')
    .option('--html <file>', 'write an HTML page with the audio of each call')
    .option('--save <file>', 'write the results as a baseline')
    .option('--baseline <file>', 'compare with a baseline, and fail if a scenario passed there and fails now')
    .option(
      '--caller-url <url>',
      'the chat completions URL for personas, up to /v1; its key is TRUNKLINE_CALLER_KEY',
    )
    .option('--caller-model <name>', 'the model that plays the personas')
    .action(async (suites: string[], options: TestOptions) => {
      const { test } = await import('./test-handlers.ts');
      context.exit(await test(context, suites, options));
    });
};
