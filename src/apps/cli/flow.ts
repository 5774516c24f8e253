import type { RegisterCommand } from './command.ts';

export interface ShowOptions {
  readonly svg?: string;
}

export interface ImportFlowOptions {
  readonly from: string;
  readonly out?: string;
}

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
    .command('import <file>')
    .description('Make a flow of a workflow that another platform exports, and say what has no counterpart.')
    .requiredOption('--from <platform>', 'vapi, retell, elevenlabs or dograh')
    .option('--out <file>', 'write the flow there; by default it is printed')
    .action(async (file: string, options: ImportFlowOptions) => {
      context.exit((await work()).importFlow(context, file, options));
    });
};
