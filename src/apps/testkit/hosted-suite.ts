import { type Scenario, type Suite, SuiteError } from './suite.ts';

export const HOSTED_LIMITS = {
  characters: 64_000,
  scenarios: 5,
  steps: 12,
  repeat: 3,
  waitMs: 60_000,
  withinMs: 60_000,
  runs: 2,
  /** The limit of each call; a run's deadline is the sum of its calls. */
  callMs: 600_000,
  runMs: 1_800_000,
} as const;

export function checkHosted(suite: Suite): void {
  const { scenarios, repeat, waitMs } = HOSTED_LIMITS;
  if (suite.model !== undefined) throw new SuiteError('model: the server’s own model answers');
  if ([suite, ...suite.scenarios].some(({ caller }) => caller?.over === 'carrier'))
    throw new SuiteError('over: a server plays by the WebSocket alone');
  if (suite.scenarios.length > scenarios)
    throw new SuiteError(`a server plays ${scenarios} scenarios at most`);
  if ((suite.repeat ?? 1) > repeat) throw new SuiteError(`repeat is ${repeat} at most`);
  for (const scenario of suite.scenarios) checkScenario(scenario);
  const waits = suite.scenarios.flatMap(({ steps }) => steps.map(waitOf));
  if (waits.reduce((sum, ms) => sum + ms, 0) > waitMs)
    throw new SuiteError(`silence, hold and after_ms are ${waitMs / 1000} s at most, in all`);
}

function checkScenario({ name, steps }: Scenario): void {
  if (steps.length > HOSTED_LIMITS.steps)
    throw new SuiteError(`${name}: ${HOSTED_LIMITS.steps} steps at most`);
  for (const step of steps) {
    if (namesFile(step)) throw new SuiteError(`${name}: a server has no audio files of yours`);
    if ('persona' in step) throw new SuiteError(`${name}: a server plays no personas`);
    const expected = 'expect' in step ? (step.expect ?? {}) : {};
    // A regular expression of a customer could block the server.
    if (expected.matches !== undefined)
      throw new SuiteError(`${name}: matches is played by npx trunkline test alone; use says`);
    if ((expected.within_ms ?? 0) > HOSTED_LIMITS.withinMs)
      throw new SuiteError(`${name}: within_ms is ${HOSTED_LIMITS.withinMs} at most`);
  }
}

/** The files of a suite are on its author's machine, so the server has none of them. */
function namesFile(step: Scenario['steps'][number]): boolean {
  if ('interrupt' in step) return step.interrupt.audio !== undefined;
  if ('backchannel' in step) return step.backchannel.audio !== undefined;
  return 'audio' in step || 'replay' in step;
}

function waitOf(step: Scenario['steps'][number]): number {
  if ('silence_ms' in step) return step.silence_ms;
  if ('hold_ms' in step) return step.hold_ms;
  if ('interrupt' in step) return step.interrupt.after_ms;
  return 'backchannel' in step ? step.backchannel.after_ms : 0;
}

export const longestRun = ({ scenarios, repeat = 1 }: Suite): number =>
  Math.min(HOSTED_LIMITS.runMs, scenarios.length * repeat * HOSTED_LIMITS.callMs);
