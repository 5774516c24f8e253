import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  heldAgain,
  recordedCall,
  runSuites,
  type ScenarioResult,
  SuiteError,
  suiteOf,
  turnDifferences,
  turnsOf,
  yamlOf,
} from '../testkit/index.ts';
import type { CliContext } from './command.ts';
import { decodeWithFfmpeg } from './decode-recording.ts';
import { connectServerUnderTest, type ServerAddress } from './server-under-test.ts';
import type { TestOptions } from './test.ts';
import { labelOf, versionUnderTest } from './test-publish.ts';

export async function writeSuite(
  context: CliContext,
  callId: string,
  { into }: TestOptions,
  address: ServerAddress,
): Promise<void> {
  const tested = connectServerUnderTest(context, address.url, address.key);
  try {
    const call = await recordedCall(tested.api, callId, decodeWithFfmpeg(context));
    // A printed suite has no folder for its files.
    const { suite, files } = suiteOf(call.record, {
      ...call,
      caller: into === undefined ? null : call.caller,
    });
    if (into === undefined) return context.out(yamlOf(suite).trimEnd());
    mkdirSync(into, { recursive: true });
    const file = join(into, `${callId}.yaml`);
    writeFileSync(file, yamlOf(suite));
    writeAll(into, files);
    context.out(`${file}: ${suite.scenarios[0]?.steps.length} turns, ${files.size} with the caller’s audio`);
  } finally {
    await tested.close();
  }
}

export async function replayCall(
  context: CliContext,
  callId: string,
  options: TestOptions,
  { from, to, run }: ReplayOptions,
): Promise<ScenarioResult[]> {
  const [source, tested] = [from, to].map(({ url, key }) => connectServerUnderTest(context, url, key)) as [
    Reached,
    Reached,
  ];
  try {
    const call = await recordedCall(source.api, callId, decodeWithFfmpeg(context));
    if (call.caller === null)
      context.out(`${callId} has no recording; a synthesized voice speaks the caller’s words.`);
    const version = await versionUnderTest(tested.api, options);
    const results = await runSuites([{ ...heldAgain(call), file: callId, folder: '.', brain: null }], {
      ...run,
      ...(version === null ? {} : { agentId: labelOf(version) }),
      ...tested,
    });
    const record = results[0]?.trials[0]?.call?.record;
    if (!record) return results;
    const found = turnDifferences(turnsOf(call.record), turnsOf(record));
    for (const what of found) context.out(`changed  ${what}`);
    if (found.length === 0) context.out(`no difference in ${turnsOf(record).length} turns`);
    return results;
  } finally {
    await source.close();
    await tested.close();
  }
}

export interface ReplayOptions {
  readonly from: ServerAddress;
  readonly to: ServerAddress;
  readonly run: Omit<Parameters<typeof runSuites>[1], 'api' | 'similarity'>;
}

type Reached = ReturnType<typeof connectServerUnderTest>;

function writeAll(folder: string, files: ReadonlyMap<string, Buffer>): void {
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
}

export function otherServer({ toUrl: url, toKey: key }: TestOptions, from: ServerAddress): ServerAddress {
  if (url === undefined && key === undefined) return from;
  if (url === undefined || key === undefined) throw new SuiteError('--to-url and --to-key need each other');
  return { url, key };
}
