import { readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { ServerApi } from '../testkit/index.ts';
import { type CliContext, printable } from './command.ts';
import type { PullOptions, PushOptions, ServerOptions } from './flow.ts';
import { flowIn, reportProblems } from './flow-handlers.ts';

const FOUND = 1;
const WRONG = 2;

interface StoredAgent {
  readonly version: number;
  readonly published_version: number | null;
  readonly flow: unknown;
}

/** Saves the flow of a file as a new version of an agent; a flow that the server would refuse changes nothing. */
export async function push(context: CliContext, file: string, options: PushOptions): Promise<number> {
  return await guarded(context, async () => {
    const api = apiOf(context, options);
    const path = `/v1/agents/${encodeURIComponent(options.agent)}`;
    const flow = flowIn(readFileSync(file, 'utf8'));
    const { problems } = await api.send<{ problems: Parameters<typeof reportProblems>[1] }>(
      'POST',
      `${path}/flow/check`,
      { flow },
    );
    reportProblems(context, problems);
    if (problems.length > 0) return FOUND;
    const before = await api.send<StoredAgent>('GET', `${path}?draft=true`);
    const isDraft = options.draft === true;
    const { version } = await api.send<StoredAgent>('PATCH', `${path}${isDraft ? '?draft=true' : ''}`, {
      flow,
    });
    const same = version === (isDraft ? before.version : before.published_version);
    const what = same ? 'nothing changed in' : isDraft ? 'drafted' : 'published';
    context.out(`${file}: ${what} version ${version} of ${options.agent}`);
    return 0;
  });
}

/** Writes the flow of an agent as YAML. */
export async function pull(context: CliContext, options: PullOptions): Promise<number> {
  return await guarded(context, async () => {
    const { agent, agentVersion, draft, out } = options;
    const query =
      agentVersion !== undefined
        ? `?version=${encodeURIComponent(agentVersion)}`
        : draft === true
          ? '?draft=true'
          : '';
    const api = apiOf(context, options);
    const { flow, version } = await api.send<StoredAgent>(
      'GET',
      `/v1/agents/${encodeURIComponent(agent)}${query}`,
    );
    if (flow === null) {
      context.error(`version ${version} of ${agent} has no flow`);
      return FOUND;
    }
    const text = stringify(flow);
    if (out === undefined) context.out(text.trimEnd());
    else {
      writeFileSync(out, text);
      context.out(`${out}: version ${version} of ${agent}`);
    }
    return 0;
  });
}

async function guarded(context: CliContext, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    context.error(`error: ${printable(String((error as Error).message).split('\n')[0] ?? '')}`);
    return WRONG;
  }
}

function apiOf({ environment }: CliContext, options: ServerOptions): ServerApi {
  const url = options.url ?? environment.TRUNKLINE_URL;
  if (url === undefined)
    throw new Error('the server of the agent is required: give --url or set TRUNKLINE_URL');
  const key = options.key ?? environment.TRUNKLINE_KEY;
  if (key === undefined) throw new Error(`${url} needs a key: give --key or set TRUNKLINE_KEY`);
  return new ServerApi(url, key);
}
