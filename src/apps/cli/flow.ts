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
    .description('Say what is wrong with a flow, node by node; the code is 1 where something is.')
    .option('--tools <names>', 'the tools of the agent, separated by commas; unless said, every name is one')
    .action(async (file: string, options: { tools?: string }) => {
      context.exit((await work()).check(context, file, options));
    });
  flow
    .command('show <file>')
    .description('Print a flow: every node with its ways out.')
    .option('--svg <file>', 'write a picture instead')
    .action(async (file: string, options: ShowOptions) => {
      context.exit((await work()).show(context, file, options));
    });
  flow
    .command('import <file>')
    .description('Make a flow of a workflow that another platform exports, and say what has no counterpart.')
    .requiredOption('--from <platform>', 'vapi, retell, elevenlabs or dograh')
    .option('--out <file>', 'write the flow there; unless said, it is printed')
    .action(async (file: string, options: ImportFlowOptions) => {
      context.exit((await work()).importFlow(context, file, options));
    });
};
