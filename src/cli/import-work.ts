import { readFileSync, writeFileSync } from 'node:fs';
import { type Moved, moveAgent, PLATFORMS, type Platform } from '../moving/index.ts';
import { Api } from '../testkit/index.ts';
import type { CliContext } from './command.ts';
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
      throw new Error(`--from is one of ${PLATFORMS.join(', ')}, not ${options.from}`);
    const moved = moveAgent(platform as Platform, files.map(readFile), options.voice);
    tell(context, moved);
    const { agent, tools } = moved;
    const bodies = JSON.stringify({ agent, tools }, null, 2);
    if (options.save !== undefined) writeFileSync(options.save, `${bodies}\n`);
    const url = options.url ?? context.environment.TRUNKLINE_URL;
    if (url !== undefined) context.out(`agent    ${await make(apiOf(context, url, options), moved)}`);
    else if (options.save === undefined) context.out(bodies);
    return 0;
  } catch (error) {
    context.error(`error: ${plain((error as Error).message)}`);
    return WRONG;
  }
}

const readFile = (name: string) => ({ name, text: readFileSync(name, 'utf8') });

/** On standard error, so that what is printed stays JSON. The file's own words reach no terminal as commands. */
function tell(context: CliContext, { changed, left }: Moved): void {
  for (const what of changed) context.error(`changed  ${plain(what)}`);
  for (const path of left) context.error(`left     ${plain(path)}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that a terminal obeys.
const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]+/g, ' ');

function apiOf({ environment }: CliContext, url: string, options: ImportOptions): Api {
  const key = options.key ?? environment.TRUNKLINE_KEY;
  if (key === undefined) throw new Error(`${url} wants a key: --key or TRUNKLINE_KEY`);
  return new Api(url, key);
}

/** The agent with its tools; where one is refused, none of them stays. */
async function make(api: Api, { agent, tools }: Moved): Promise<string> {
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
