import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type CheckedFlow, checkFlow, flowSvg, flowText } from '../../conversation/flows/index.ts';
import type { CliContext } from './command.ts';
import type { ShowOptions } from './flow.ts';

const FOUND = 1;
const WRONG = 2;

export function check(context: CliContext, file: string, { tools }: { readonly tools?: string }): number {
  const names = tools === undefined ? null : new Set(tools.split(',').map((name) => name.trim()));
  return checked(context, file, names, ({ flow, problems }) => {
    tell(context, problems);
    if (problems.length > 0) return FOUND;
    context.out(`${file}: ${flow?.nodes.length} nodes, ${flow?.edges.length} edges, nothing wrong`);
    return 0;
  });
}

export function show(context: CliContext, file: string, { svg }: ShowOptions): number {
  return checked(context, file, null, ({ flow, problems }) => {
    tell(context, problems);
    if (flow === null) return FOUND;
    if (svg === undefined) context.out(flowText(flow));
    else writeFileSync(svg, flowSvg(flow));
    return problems.length === 0 ? 0 : FOUND;
  });
}

function checked(
  context: CliContext,
  file: string,
  tools: ReadonlySet<string> | null,
  use: (found: CheckedFlow) => number,
): number {
  try {
    return use(checkFlow(flowIn(readFileSync(file, 'utf8')), { tools, agents: null }));
  } catch (error) {
    context.error(`error: ${file}: ${String((error as Error).message).split('\n')[0]}`);
    return WRONG;
  }
}

/** The flow of a file: its own document, or the field `flow` of an agent's. */
function flowIn(text: string): unknown {
  const document: unknown = parse(text, { maxAliasCount: 50, schema: 'core' });
  const isAgent =
    typeof document === 'object' && document !== null && 'flow' in document && !('nodes' in document);
  return isAgent ? document.flow : document;
}

const tell = (context: CliContext, problems: CheckedFlow['problems']): void => {
  for (const { node, code, detail } of problems)
    context.error(`${node === '' ? 'the flow' : node}: ${detail} (${code})`);
};
