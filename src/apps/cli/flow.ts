import type { RegisterCommand } from './command.ts';

export interface ShowOptions {
  readonly svg?: string;
}

export interface ImportFlowOptions {
  readonly from: string;
  readonly out?: string;
}

export interface ServerOptions {
  readonly agent: string;
  readonly url?: string;
  readonly key?: string;
}

export interface PushOptions extends ServerOptions {
  readonly draft?: boolean;
}

export interface PullOptions extends ServerOptions {
  readonly agentVersion?: string;
  readonly draft?: boolean;
  readonly out?: string;
}

const synced = () => import('./flow-sync-handlers.ts');
const work = () => import('./flow-handlers.ts');

export const registerFlow: RegisterCommand = (program, context) => {
  const flow = program.command('flow').description('Check, convert, push and pull the flows of agents.');
  flow
    .command('check <file>')
    .description('Check a flow, and list its problems by node. The exit code is 1 if there is a problem.')
    .option(
      '--tools <names>',
      'the tools of the agent, separated by commas (default: accept every tool name)',
    )
    .action(async (file: string, options: { tools?: string }) => {
      context.exit((await work()).check(context, file, options));
    });
  flow
    .command('show <file>')
    .description('Print every node of a flow with its edges.')
    .option('--svg <file>', 'write an SVG picture instead')
    .action(async (file: string, options: ShowOptions) => {
      context.exit((await work()).show(context, file, options));
    });
  flow
    .command('schema')
    .description('Print the JSON Schema of a flow, for editors.')
    .action(async () => (await work()).schema(context));
  flow
    .command('import <file>')
    .description('Convert a workflow exported from another platform, and list what has no counterpart.')
    .requiredOption('--from <platform>', 'vapi, retell, elevenlabs or dograh')
    .option('--out <file>', 'write the flow to this file (default: print it)')
    .action(async (file: string, options: ImportFlowOptions) => {
      context.exit((await work()).importFlow(context, file, options));
    });
  flow
    .command('push <file>')
    .description(
      'Save a flow as a new version of an agent. The exit code is 1 if the server finds a problem.',
    )
    .requiredOption('--agent <id>', 'the ID of the agent (agt_…)')
    .option('--draft', 'save the version as a draft, which calls do not use')
    .option('--url <url>', 'the server of the agent (TRUNKLINE_URL)')
    .option('--key <key>', 'an API key of that server (TRUNKLINE_KEY)')
    .action(async (file: string, options: PushOptions) => {
      context.exit(await (await synced()).push(context, file, options));
    });
  flow
    .command('pull')
    .description('Print the flow of an agent as YAML.')
    .requiredOption('--agent <id>', 'the ID of the agent (agt_…)')
    .option('--agent-version <number>', 'the version to print (default: the published one)')
    .option('--draft', 'print the newest version, published or not')
    .option('--out <file>', 'write the flow to this file (default: print it)')
    .option('--url <url>', 'the server of the agent (TRUNKLINE_URL)')
    .option('--key <key>', 'an API key of that server (TRUNKLINE_KEY)')
    .action(async (options: PullOptions) => {
      context.exit(await (await synced()).pull(context, options));
    });
};
