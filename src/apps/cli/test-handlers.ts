import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type BaselineScenario,
  baselineDifferences,
  baselineOf,
  type FlowCoverage,
  faultsOf,
  html,
  junit,
  type LoadedSuite,
  Persona,
  readSuite,
  runSuites,
  type ScenarioResult,
  ScriptedModels,
  type Suite,
  SuiteError,
} from '../testkit/index.ts';
import type { CliContext } from './command.ts';
import { wholeNumber } from './core-services.ts';
import {
  connectServerUnderTest,
  type ServerAddress,
  type ServerUnderTest,
  startServerUnderTest,
} from './server-under-test.ts';
import type { TestOptions } from './test.ts';
import { otherServer, replayCall, writeSuite } from './test-call.ts';
import { checkVersionOptions, labelOf, publishTested, versionUnderTest } from './test-publish.ts';

const FAILED = 1;
const WRONG = 2;

/** Returns the exit code: 1 where a scenario fails, 2 where no scenario could run. */
export async function test(context: CliContext, files: string[], options: TestOptions): Promise<number> {
  try {
    if (options.fromCall !== undefined) {
      await writeSuite(context, options.fromCall, options, sourceOf(context, options));
      return 0;
    }
    if (options.replay !== undefined) return await replay(context, options.replay, options);
    const suites = files.map((file) => ({ file, suite: readSuite(readFileSync(file, 'utf8'), file) }));
    if (suites.length === 0) throw new SuiteError('expected one suite file or more as arguments');
    if (options.check) return 0;
    return await playAll(context, suites, options);
  } catch (error) {
    context.error(`error: ${(error as Error).message}`);
    return WRONG;
  }
}

async function playAll(
  context: CliContext,
  suites: readonly { file: string; suite: Suite }[],
  options: TestOptions,
): Promise<number> {
  const remote = addressOf(context, options);
  checkVersionOptions(options, remote !== null);
  const played = suites.find(({ suite }) => suite.model !== undefined);
  if (played !== undefined && remote !== null)
    throw new SuiteError(
      `${played.file}: a suite with a model runs only on a server of the test kit; remove the model from the suite, or --url`,
    );
  const models = await ScriptedModels.start();
  const loaded = suites.map(({ file, suite }, at): LoadedSuite & { url: string | null } => {
    const url = suite.model === undefined ? null : models.add(suite.model);
    return { file, suite, folder: dirname(file), brain: url === null ? null : `suite-${at}`, url };
  });
  const brains = loaded.flatMap(({ brain, url }) =>
    brain === null || url === null ? [] : [{ name: brain, url }],
  );
  let tested: ServerUnderTest | undefined;
  try {
    tested =
      remote === null
        ? await startServerUnderTest(context, brains)
        : connectServerUnderTest(context, remote.url, remote.key);
    const version = await versionUnderTest(tested.api, options);
    const called = version === null ? {} : { agentId: labelOf(version) };
    const results = await runSuites(loaded, { ...runOptions(context, options), ...called, ...tested });
    const code = settle(context, results, options);
    if (version !== null && options.publish)
      await publishTested(context, tested.api, version, { results, well: code === 0 });
    return code;
  } finally {
    await tested?.close();
    models.close();
  }
}

function runOptions(context: CliContext, { repeat, only, agent, over, callerUrl, callerModel }: TestOptions) {
  return {
    persona:
      callerUrl === undefined || callerModel === undefined
        ? null
        : new Persona({ url: callerUrl, model: callerModel, key: context.environment.TRUNKLINE_CALLER_KEY }),
    ...(repeat === undefined ? {} : { repeat: wholeNumber('--repeat', repeat) }),
    ...(only === undefined ? {} : { only }),
    ...(agent === undefined ? {} : { agentId: agent }),
    ...(over === undefined ? {} : { over }),
    onResult: (result: ScenarioResult) => report(context, result),
    covered: (suite: string, { edges, nodesLeft }: FlowCoverage) => {
      context.out(`flow  ${suite}: ${edges.taken} of ${edges.of} edges taken`);
      if (nodesLeft.length > 0) context.out(`      never reached: ${nodesLeft.join(', ')}`);
    },
  };
}

function report(context: CliContext, { suite, name, passed, passK, trials, seconds }: ScenarioResult): void {
  const chance =
    trials.length > 1 ? `, pass^${trials.length} ${(100 * (passK.at(-1) ?? 0)).toFixed(0)} %` : '';
  context.out(`${passed ? 'passed' : 'FAILED'}  ${suite} / ${name} (${seconds.toFixed(1)} s${chance})`);
  for (const fault of new Set(trials.flatMap(faultsOf))) context.out(`        ${fault}`);
}

function settle(context: CliContext, results: readonly ScenarioResult[], options: TestOptions): number {
  const now = baselineOf(results);
  if (options.junit !== undefined) writeFileSync(options.junit, junit(results));
  if (options.html !== undefined) writeFileSync(options.html, html(results));
  if (options.save !== undefined) writeFileSync(options.save, `${JSON.stringify(now, null, 2)}\n`);
  const failed = results.filter(({ passed }) => !passed).length;
  context.out(`${results.length - failed} passed, ${failed} failed`);
  let worse = false;
  if (options.baseline !== undefined) {
    const before = JSON.parse(readFileSync(options.baseline, 'utf8')) as BaselineScenario[];
    for (const found of baselineDifferences(before, now)) {
      worse ||= found.worse;
      context.out(`${found.worse ? 'WORSE' : 'changed'}  ${found.where}: ${found.what}`);
    }
  }
  if (results.length === 0) throw new SuiteError('no scenario was run');
  return failed > 0 || worse ? FAILED : 0;
}

function addressOf({ environment }: CliContext, options: TestOptions): ServerAddress | null {
  const url = options.url ?? environment.TRUNKLINE_URL;
  if (url === undefined) return null;
  const key = options.key ?? environment.TRUNKLINE_KEY;
  if (key === undefined) throw new SuiteError(`${url} needs a key: give --key or set TRUNKLINE_KEY`);
  return { url, key };
}

function sourceOf(context: CliContext, options: TestOptions): ServerAddress {
  const address = addressOf(context, options);
  if (address === null)
    throw new SuiteError('--from-call needs the server that holds the call: give --url or set TRUNKLINE_URL');
  return address;
}

async function replay(context: CliContext, callId: string, options: TestOptions): Promise<number> {
  const from = sourceOf(context, options);
  const to = otherServer(options, from);
  const results = await replayCall(context, callId, options, { from, to, run: runOptions(context, options) });
  return settle(context, results, options);
}
