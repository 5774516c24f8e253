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
  const flow = program.command('flow').description('Flows of agents: the steps of a call, as YAML or JSON.');
  flow
    .command('check <file>')
    .description('Check a flow, and list its problems by node; the exit code is 1 where there are any.')
    .option(
      '--tools <names>',
      'the tools of the agent, separated by commas; by default every name counts as one',
    )
    .action(async (file: string, options: { tools?: string }) => {
      context.exit((await work()).check(context, file, options));
    });
  flow
    .command('show <file>')
    .description('Print a flow: every node with its edges.')
    .option('--svg <file>', 'write a picture instead')
    .action(async (file: string, options: ShowOptions) => {
      context.exit((await work()).show(context, file, options));
    });
  flow
    .command('schema')
    .description('Print the JSON Schema of a flow, for editors.')
    .action(async () => (await work()).schema(context));
  flow
    .command('import <file>')
    .description('Make a flow of a workflow that another platform exports, and say what has no counterpart.')
    .requiredOption('--from <platform>', 'vapi, retell, elevenlabs or dograh')
    .option('--out <file>', 'write the flow there; by default it is printed')
    .action(async (file: string, options: ImportFlowOptions) => {
      context.exit((await work()).importFlow(context, file, options));
    });
  flow
    .command('push <file>')
    .description('Save a flow as a new version of an agent; the code is 1 where the server finds a problem.')
    .requiredOption('--agent <id>', 'agt_…')
    .option('--draft', 'save a version that no call gets yet')
    .option('--url <url>', 'the server of the agent (TRUNKLINE_URL)')
    .option('--key <key>', 'a key of that server (TRUNKLINE_KEY)')
    .action(async (file: string, options: PushOptions) => {
      context.exit(await (await synced()).push(context, file, options));
    });
  flow
    .command('pull')
    .description('Print the flow of an agent as YAML.')
    .requiredOption('--agent <id>', 'agt_…')
    .option('--agent-version <number>', 'another version than the published one')
    .option('--draft', 'the newest version, published or not')
    .option('--out <file>', 'write the flow there; unless said, it is printed')
    .option('--url <url>', 'the server of the agent (TRUNKLINE_URL)')
    .option('--key <key>', 'a key of that server (TRUNKLINE_KEY)')
    .action(async (options: PullOptions) => {
      context.exit(await (await synced()).pull(context, options));
    });
};
