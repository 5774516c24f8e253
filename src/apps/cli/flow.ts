import type { RegisterCommand } from './command.ts';

export interface ShowOptions {
  readonly svg?: string;
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
};
