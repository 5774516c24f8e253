import { ApiRefusal, type Json, post } from './api.ts';
import { readPreference, storePreference } from './preferences.ts';

export interface SuiteOrder {
  readonly suite: string;
  readonly agentId: string;
  readonly version: number;
}

const WAIT_S = 5;

/** The server plays suites by tools of the Model Context Protocol, which its operator may leave off. */
async function callTool(name: string, given: Readonly<Record<string, unknown>>): Promise<Json> {
  const params = { name, arguments: given };
  const { result, error } = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  if (error) throw new Error(error.message);
  const answer = JSON.parse(result.content[0].text);
  if (result.isError) throw new ApiRefusal(400, answer.error.code, answer.error.message);
  return answer;
}

export const isPlayedHere = (error: Error | null): boolean =>
  !(error instanceof ApiRefusal && error.status === 404 && error.message.includes('/mcp'));

export async function startTestRun({ suite, agentId, version }: SuiteOrder): Promise<string> {
  const { run_id: id } = await callTool('play_test', { suite, agent_id: agentId, version });
  return id;
}

/** Waits a few seconds for the end of the run. */
export const testRun = (id: string): Promise<Json> =>
  callTool('get_test_run', { run_id: id, wait_s: WAIT_S });

export const cancelTestRun = (id: string): Promise<Json> => callTool('cancel_test_run', { run_id: id });

/** The server compares the calls with the version, and counts the run for the suite that the agent requires. */
export const recordTestRun = (agentId: string, version: number, run: Json): Promise<Json> =>
  post(`/v1/agents/${agentId}/test-runs`, {
    version,
    suite: run.suite,
    scenarios: run.scenarios.map(({ name, passed, calls }: Json) => ({
      name: name.slice(0, 200),
      passed,
      call_ids: calls,
    })),
  });

const storedAs = (agentId: string): string => `suite.${agentId}`;

export const storedSuite = (agentId: string): string | null =>
  readPreference<{ yaml: string }>(storedAs(agentId)).yaml ?? null;

export interface FollowedRun {
  readonly run: string;
  readonly version: number;
  /** The server has counted its result. */
  readonly isRecorded: boolean;
}

const runOf = (agentId: string): string => `run.${agentId}`;

export function storedRun(agentId: string): FollowedRun | null {
  const { run, version, isRecorded } = readPreference<FollowedRun>(runOf(agentId));
  return run === undefined || version === undefined
    ? null
    : { run, version, isRecorded: isRecorded === true };
}

export const storeRun = (agentId: string, run: FollowedRun): void => storePreference(runOf(agentId), run);

export const forgetRun = (agentId: string): void => storePreference(runOf(agentId), {});

export const storeSuite = (agentId: string, yaml: string): void =>
  storePreference(storedAs(agentId), { yaml });
