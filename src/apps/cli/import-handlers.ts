import { closeSync, fchmodSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { type ConvertedAgent, convertAgent, PLATFORMS, type Platform } from '../importers/index.ts';
import { ServerApi } from '../testkit/index.ts';
import { type CliContext, printable } from './command.ts';
import type { ImportOptions } from './import.ts';

const WRONG = 2;

export async function importAgent(
  context: CliContext,
  files: readonly string[],
  options: ImportOptions,
): Promise<number> {
  try {
    const platform = PLATFORMS.find((name) => name === options.from);
    if (platform === undefined)
      throw new Error(`--from must be one of ${PLATFORMS.join(', ')}, not ${options.from}`);
    const moved = convertAgent(platform as Platform, files.map(readFile), options.voice);
    report(context, moved);
    const { agent, tools } = moved;
    if (options.save !== undefined) save(options.save, bodiesOf({ agent, tools }));
    const url = options.dryRun ? undefined : (options.url ?? context.environment.TRUNKLINE_URL);
    if (url !== undefined) context.out(`agent    ${await make(apiOf(context, url, options), moved)}`);
    else if (options.save === undefined) context.out(bodiesOf({ agent, tools: tools.map(withoutSecrets) }));
    return 0;
  } catch (error) {
    context.error(`error: ${printable((error as Error).message)}`);
    return WRONG;
  }
}

const bodiesOf = (bodies: Pick<ConvertedAgent, 'agent' | 'tools'>): string => JSON.stringify(bodies, null, 2);

const OWNER_ONLY = 0o600;

/** The mode is set also where the file existed with another one. */
function save(name: string, bodies: string): void {
  const file = openSync(name, 'w', OWNER_ONLY);
  try {
    fchmodSync(file, OWNER_ONLY);
    writeFileSync(file, `${bodies}\n`);
  } finally {
    closeSync(file);
  }
}

const HIDDEN = '…';

function withoutSecrets(tool: ConvertedAgent['tools'][number]): ConvertedAgent['tools'][number] {
  const { url, headers } = tool as { url?: string; headers?: Record<string, string> };
  return {
    ...tool,
    ...(url === undefined ? {} : { url: plainUrl(url) }),
    ...(headers === undefined
      ? {}
      : { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN])) }),
  };
}

function plainUrl(text: string): string {
  if (!URL.canParse(text)) return HIDDEN;
  const { protocol, host, pathname, search, username } = new URL(text);
  return `${protocol}//${username === '' ? '' : `${HIDDEN}@`}${host}${pathname}${search === '' ? '' : `?${HIDDEN}`}`;
}

const readFile = (name: string) => ({ name, text: readFileSync(name, 'utf8') });

/**
 * The notes go to standard error, so that standard output stays JSON. Control characters of the file never reach a
 * terminal.
 */
function report(context: CliContext, { changed, left }: ConvertedAgent): void {
  for (const what of changed) context.error(`changed  ${printable(what)}`);
  for (const path of left) context.error(`left     ${printable(path)}`);
}

function apiOf({ environment }: CliContext, url: string, options: ImportOptions): ServerApi {
  const key = options.key ?? environment.TRUNKLINE_KEY;
  if (key === undefined) throw new Error(`${url} needs a key: give --key or set TRUNKLINE_KEY`);
  return new ServerApi(url, key);
}

/** Creates the agent with its tools; where one is rejected, none of them stays. */
async function make(api: ServerApi, { agent, tools }: ConvertedAgent): Promise<string> {
  const made: string[] = [];
  try {
    for (const tool of tools) made.push((await api.send<{ id: string }>('POST', '/v1/tools', tool)).id);
    const whole = made.length === 0 ? agent : { ...agent, tool_ids: made };
    return (await api.send<{ id: string }>('POST', '/v1/agents', whole)).id;
  } catch (error) {
    for (const id of made) await api.send('DELETE', `/v1/tools/${id}`);
    throw error;
  }
}
