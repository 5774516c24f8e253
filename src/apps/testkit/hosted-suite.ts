/** The limits of suites that a server runs for its users. */
import { type Scenario, type Suite, SuiteError } from './suite.ts';

export const HOSTED_LIMITS = {
  characters: 64_000,
  scenarios: 5,
  steps: 12,
  /** The limit of repetitions of each scenario. */
  repeat: 3,
  /** The sum of silence, hold music and waits before interruptions. */
  waitMs: 60_000,
  /** The deadline of one answer. */
  withinMs: 60_000,
  runs: 2,
  /** The limit of each call; a run's deadline is the sum of its calls. */
  callMs: 600_000,
  runMs: 1_800_000,
} as const;

/** Throws SuiteError for what a server does not play. */
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
    // Whoever writes the pattern could take the server's time with it.
    if (expected.matches !== undefined)
      throw new SuiteError(`${name}: matches is played by npx trunkline test alone; use says`);
    if ((expected.within_ms ?? 0) > HOSTED_LIMITS.withinMs)
      throw new SuiteError(`${name}: within_ms is ${HOSTED_LIMITS.withinMs} at most`);
  }
}

/** Files lie beside a suite, and a server has none of who sends it. */
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

/** How long a run of it may take. */
export const longestRun = ({ scenarios, repeat = 1 }: Suite): number =>
  Math.min(HOSTED_LIMITS.runMs, scenarios.length * repeat * HOSTED_LIMITS.callMs);
