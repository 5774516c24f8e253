import { type ScenarioResult, type ServerApi, SuiteError } from '../testkit/index.ts';
import type { CliContext } from './command.ts';
import { wholeNumber } from './core-services.ts';
import type { TestOptions } from './test.ts';

export interface VersionUnderTest {
  readonly agentId: string;
  readonly version: number;
}

export function checkVersionOptions(options: TestOptions, remote: boolean): void {
  if (!options.publish && options.agentVersion === undefined) return;
  const option = options.publish ? '--publish' : '--agent-version';
  if (options.agent === undefined) throw new SuiteError(`${option} needs --agent`);
  if (!remote)
    throw new SuiteError(`${option} needs the server of the agent: give --url or set TRUNKLINE_URL`);
  if (options.publish && options.only !== undefined)
    throw new SuiteError('--publish runs whole suites; remove --only');
}

/** Returns the named version, or the newest with --publish; null where the options choose none. */
export async function versionUnderTest(
  api: ServerApi,
  options: TestOptions,
): Promise<VersionUnderTest | null> {
  const { agent: agentId, agentVersion, publish } = options;
  if (agentId === undefined || (!publish && agentVersion === undefined)) return null;
  if (agentVersion !== undefined) return { agentId, version: wholeNumber('--agent-version', agentVersion) };
  const { version } = await api.send<{ version: number }>('GET', `/v1/agents/${agentId}?draft=true`);
  return { agentId, version };
}

export const labelOf = ({ agentId, version }: VersionUnderTest): string => `${agentId}@${version}`;

export async function publishTested(
  context: CliContext,
  api: ServerApi,
  { agentId, version }: VersionUnderTest,
  { results, well }: { readonly results: readonly ScenarioResult[]; readonly well: boolean },
): Promise<void> {
  for (const suite of new Set(results.map((result) => result.suite))) {
    const scenarios = results
      .filter((result) => result.suite === suite)
      .filter(isReported)
      .map(reportOf);
    await api.send('POST', `/v1/agents/${agentId}/test-runs`, { version, suite, scenarios });
  }
  if (!well) return context.out(`version ${version} of ${agentId} is not published`);
  await api.send('POST', `/v1/agents/${agentId}/publish`, { version });
  context.out(`version ${version} of ${agentId} is published`);
}

/** A passed result without a call, such as the coverage of a flow, follows from the others. */
const isReported = ({ passed, trials }: ScenarioResult): boolean =>
  !passed || trials.some(({ call }) => call !== null);

const reportOf = ({ name, passed, trials }: ScenarioResult) => ({
  name: name.slice(0, 200),
  passed,
  call_ids: trials.flatMap(({ call }) => (call?.record ? [call.record.call_id] : [])),
});
