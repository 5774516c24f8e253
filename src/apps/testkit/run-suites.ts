import { type CheckResult, checkCall } from './check-call.ts';
import { type CoveredFlow, coverageOf, type FlowCoverage } from './flow-coverage.ts';
import type { Persona } from './persona.ts';
import { PhoneLine } from './phone-line.ts';
import { playScenario } from './play-scenario.ts';
import type { PlayedCall } from './played.ts';
import type { ServerApi } from './server-api.ts';
import { soundsOf } from './sounds.ts';
import { type Over, type Suite, SuiteError } from './suite.ts';
import { telephoneUnsupportedReason } from './telephone-support.ts';
import type { TextSimilarity } from './text-similarity.ts';

export interface ScenarioTrial {
  readonly call: PlayedCall | null;
  readonly verdicts: readonly CheckResult[];
  readonly error: string | null;
  readonly passed: boolean;
}

export interface ScenarioResult {
  readonly suite: string;
  readonly name: string;
  readonly trials: readonly ScenarioTrial[];
  readonly passed: boolean;
  /** Element k - 1 is the probability that k calls in a row pass, estimated from these trials. */
  readonly passK: readonly number[];
  readonly seconds: number;
}

export interface LoadedSuite {
  readonly suite: Suite;
  readonly file: string;
  readonly folder: string;
  readonly files?: ReadonlyMap<string, Buffer>;
  readonly brain: string | null;
}

export interface RunOptions {
  readonly api: ServerApi;
  readonly similarity: TextSimilarity | null;
  readonly persona: Persona | null;
  readonly repeat?: number;
  readonly only?: string;
  readonly over?: Over;
  readonly agentId?: string;
  readonly onResult: (result: ScenarioResult) => void;
  readonly covered?: (suite: string, coverage: FlowCoverage) => void;
  readonly silent?: true;
  readonly signal?: AbortSignal;
  readonly madeAgent?: (id: string) => Promise<unknown>;
  /** Removes the agent without the key, which may be revoked by then. */
  readonly removeAgent?: (id: string) => Promise<unknown>;
}

const VOICE = 'en1';

export async function runSuites(
  suites: readonly LoadedSuite[],
  options: RunOptions,
): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = [];
  const shared: SuitePaths[] = [];
  for (const loaded of suites) {
    const agentId = options.agentId ?? loaded.suite.agent_id ?? (await makeAgent(options.api, loaded));
    const own = agentId !== options.agentId && agentId !== loaded.suite.agent_id;
    let phone: PhoneLine | null = null;
    const played: ScenarioResult[] = [];
    try {
      if (own) await options.madeAgent?.(agentId);
      const greets = await greetsFirst(options.api, agentId);
      for (const scenario of loaded.suite.scenarios) {
        if (options.only !== undefined && !scenario.name.includes(options.only)) continue;
        const rings = isByTelephone(loaded.suite, scenario, options);
        if (rings) phone ??= await PhoneLine.take(options.api, agentId, loaded.suite.tools);
        const line = rings ? phone : null;
        const result = await runScenario(loaded, scenario, { agentId, greets, phone: line }, options);
        options.onResult(result);
        results.push(result);
        played.push(result);
      }
      const found = await suitePaths(options, agentId, loaded.suite, played);
      if (found === null) continue;
      if (!own) shared.push(found);
      const covered = coverage(options, loaded.suite, found);
      if (covered !== null) {
        options.onResult(covered);
        results.push(covered);
      }
    } finally {
      try {
        await phone?.giveBack();
      } finally {
        if (own) await (options.removeAgent ?? remover(options.api))(agentId);
      }
    }
  }
  reportTogether(options, shared);
  return results;
}

interface SuitePaths {
  readonly agentId: string;
  readonly flow: CoveredFlow | null;
  readonly paths: Parameters<typeof coverageOf>[1];
}

/** Reports what several suites of one agent cover together; suites with agents of their own are left out. */
function reportTogether({ covered }: RunOptions, shared: readonly SuitePaths[]): void {
  for (const agentId of new Set(shared.map((one) => one.agentId))) {
    const all = shared.filter((one) => one.agentId === agentId);
    const flow = all[0]?.flow ?? null;
    if (all.length < 2 || flow === null) continue;
    covered?.(
      'all suites',
      coverageOf(
        flow,
        all.flatMap(({ paths }) => paths),
      ),
    );
  }
}

async function suitePaths(
  { api }: RunOptions,
  agentId: string,
  suite: Suite,
  played: readonly ScenarioResult[],
): Promise<SuitePaths | null> {
  const calls = played.flatMap(({ trials }) => trials.flatMap(({ call }) => call ?? []));
  const [id, version] = agentId.split('@');
  // A call that was handed to another agent has the steps of that agent's flow too.
  const paths = calls.flatMap(({ record }) =>
    record?.path === undefined ? [] : [record.path.filter(({ agent_id: of = id }) => of === id)],
  );
  if (paths.length === 0 && suite.edges_at_least === undefined) return null;
  const query = version === undefined ? '' : `?version=${version}`;
  const { flow } = await api.send<{ flow: CoveredFlow | null }>('GET', `/v1/agents/${id}${query}`);
  return { agentId, flow, paths };
}

function coverage(
  { only, covered }: RunOptions,
  suite: Suite,
  { flow, paths }: SuitePaths,
): ScenarioResult | null {
  const found = flow === null ? null : coverageOf(flow, paths);
  if (found !== null) covered?.(suite.name, found);
  const least = suite.edges_at_least;
  if (least === undefined || only !== undefined) return null;
  const { taken, of } = found?.edges ?? { taken: 0, of: 0 };
  const passed = of > 0 && taken / of >= least;
  const got =
    found === null ? 'the agent has no flow' : `${taken} of ${of}; not taken: ${found.edgesLeft.join(', ')}`;
  const what = `takes ${Math.round(least * 100)} % of the edges of the flow`;
  return {
    suite: suite.name,
    name: 'edges of the flow',
    trials: [{ call: null, verdicts: [{ what, passed, got }], error: null, passed }],
    passed,
    passK: [Number(passed)],
    seconds: 0,
  };
}

function isByTelephone(
  suite: Suite,
  scenario: Suite['scenarios'][number],
  { over, agentId }: RunOptions,
): boolean {
  if ((over ?? scenario.caller?.over ?? suite.caller?.over) !== 'carrier') return false;
  const lacks = telephoneUnsupportedReason(
    suite,
    scenario,
    agentId === undefined && suite.agent !== undefined,
  );
  if (lacks !== null) throw new SuiteError(`${scenario.name} ${lacks}`);
  return true;
}

const remover = (api: ServerApi) => (id: string) => api.lasting.send('DELETE', `/v1/agents/${id}`);

/** The request ignores the abort, because an unfinished one could leave an agent behind. */
async function makeAgent(api: ServerApi, { suite, brain }: LoadedSuite): Promise<string> {
  const agent = { name: suite.name, ...(brain === null ? {} : { brain }), ...suite.agent };
  return (await api.lasting.send<{ id: string }>('POST', '/v1/agents', agent)).id;
}

async function greetsFirst(api: ServerApi, label: string): Promise<boolean> {
  const [id, version] = label.split('@');
  const query = version === undefined ? '' : `?version=${version}`;
  const agent = await api
    .send<{ greeting: string; consent_line: string }>('GET', `/v1/agents/${id}${query}`)
    .catch((error: Error) => {
      // Without this check, the account's default agent would answer the call.
      if (/: 404 /.test(error.message)) throw new SuiteError(`there is no agent ${label}`);
      return { greeting: '', consent_line: '' };
    });
  return agent.greeting !== '' || agent.consent_line !== '';
}

async function runScenario(
  { suite, folder, files }: LoadedSuite,
  scenario: Suite['scenarios'][number],
  agent: { readonly agentId: string; readonly greets: boolean; readonly phone: PhoneLine | null },
  { api, similarity, persona, repeat, silent, signal }: RunOptions,
): Promise<ScenarioResult> {
  const began = performance.now();
  const trials: ScenarioTrial[] = [];
  const voice = scenario.caller?.voice ?? suite.caller?.voice ?? VOICE;
  for (let time = 0; time < (repeat ?? suite.repeat ?? 1); time++) {
    signal?.throwIfAborted();
    try {
      const keepsAudio = silent !== true;
      const call = await playScenario(suite, scenario, {
        api,
        ...agent,
        voice,
        sounds: soundsOf(folder, files),
        persona,
        keepsAudio,
        signal,
      });
      const verdicts = await checkCall(call, scenario.expect, { api, similarity });
      trials.push({ call, verdicts, error: null, passed: verdicts.every(({ passed }) => passed) });
    } catch (error) {
      signal?.throwIfAborted();
      trials.push({ call: null, verdicts: [], error: String(error), passed: false });
    }
  }
  const right = trials.filter(({ passed }) => passed).length;
  return {
    suite: suite.name,
    name: scenario.name,
    trials,
    passed: right === trials.length,
    passK: passPowers(right, trials.length),
    seconds: (performance.now() - began) / 1000,
  };
}

/** The probability pass^k that k trials drawn from `of`, of which `right` passed, all passed, for k from 1 to `of`. */
export const passPowers = (right: number, of: number): number[] =>
  Array.from({ length: of }, (_, at) => {
    let chance = 1;
    for (let drawn = 0; drawn <= at; drawn++) chance *= Math.max(0, right - drawn) / (of - drawn);
    return chance;
  });
