import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import {
  type CheckedFlow,
  checkFlow,
  FLOW_DOCUMENT_SCHEMA,
  flowSvg,
  flowText,
} from '../../conversation/flows/index.ts';
import { convertFlow, FLOW_PLATFORMS } from '../importers/index.ts';
import { type CliContext, printable } from './command.ts';
import type { ImportFlowOptions, ShowOptions } from './flow.ts';

const FOUND = 1;
const WRONG = 2;

export function check(context: CliContext, file: string, { tools }: { readonly tools?: string }): number {
  const names = tools === undefined ? null : new Set(tools.split(',').map((name) => name.trim()));
  return checked(context, file, names, ({ flow, problems }) => {
    reportProblems(context, problems);
    if (problems.length > 0) return FOUND;
    context.out(`${file}: ${flow?.nodes.length} nodes, ${flow?.edges.length} edges, no problems`);
    return 0;
  });
}

export const schema = (context: CliContext): void =>
  context.out(JSON.stringify(FLOW_DOCUMENT_SCHEMA, null, 2));

export function show(context: CliContext, file: string, { svg }: ShowOptions): number {
  return checked(context, file, null, ({ flow, problems }) => {
    reportProblems(context, problems);
    if (flow === null) return FOUND;
    if (svg === undefined) context.out(flowText(flow));
    else writeFileSync(svg, flowSvg(flow));
    return problems.length === 0 ? 0 : FOUND;
  });
}

/** The differences and the open problems go to standard error, so that the printed flow can be piped. */
export function importFlow(context: CliContext, file: string, { from, out }: ImportFlowOptions): number {
  try {
    const platform = FLOW_PLATFORMS.find((name) => name === from);
    if (platform === undefined)
      throw new Error(`--from must be one of ${FLOW_PLATFORMS.join(', ')}, not ${from}`);
    const { flow, changed, left, problems } = convertFlow(platform, file, readFileSync(file, 'utf8'));
    for (const what of changed) context.error(`changed  ${printable(what)}`);
    for (const path of left) context.error(`left     ${printable(path)}`);
    reportProblems(context, problems);
    const text = stringify(flow);
    if (out === undefined) context.out(text.trimEnd());
    else {
      writeFileSync(out, text);
      context.out(`${out}: ${flow.nodes.length} nodes, ${flow.edges.length} edges`);
    }
    return problems.length === 0 ? 0 : FOUND;
  } catch (error) {
    context.error(`error: ${printable(String((error as Error).message).split('\n')[0] ?? '')}`);
    return WRONG;
  }
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

export function flowIn(text: string): unknown {
  const document: unknown = parse(text, { maxAliasCount: 50, schema: 'core' });
  const isAgent =
    typeof document === 'object' && document !== null && 'flow' in document && !('nodes' in document);
  return isAgent ? document.flow : document;
}

export const reportProblems = (context: CliContext, problems: CheckedFlow['problems']): void => {
  for (const { node, code, detail } of problems)
    context.error(`${node === '' ? 'the flow' : node}: ${detail} (${code})`);
};
