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
  if (suite.model !== undefined)
    throw new SuiteError('model is not supported on a server: the server’s own model is used');
  if ([suite, ...suite.scenarios].some(({ caller }) => caller?.over === 'carrier'))
    throw new SuiteError('over is not supported on a server: it runs scenarios only over the WebSocket');
  if (suite.scenarios.length > scenarios)
    throw new SuiteError(`a server runs at most ${scenarios} scenarios`);
  if ((suite.repeat ?? 1) > repeat) throw new SuiteError(`repeat must be at most ${repeat}`);
  for (const scenario of suite.scenarios) checkScenario(scenario);
  const waits = suite.scenarios.flatMap(({ steps }) => steps.map(waitOf));
  if (waits.reduce((sum, ms) => sum + ms, 0) > waitMs)
    throw new SuiteError(`silence, hold and after_ms must be at most ${waitMs / 1000} s in total`);
}

function checkScenario({ name, steps }: Scenario): void {
  if (steps.length > HOSTED_LIMITS.steps)
    throw new SuiteError(`${name}: a scenario can have at most ${HOSTED_LIMITS.steps} steps`);
  for (const step of steps) {
    if (namesFile(step)) throw new SuiteError(`${name}: audio files are not supported on a server`);
    if ('persona' in step) throw new SuiteError(`${name}: personas are not supported on a server`);
    const expected = 'expect' in step ? (step.expect ?? {}) : {};
    // A regular expression of a customer could block the server.
    if (expected.matches !== undefined)
      throw new SuiteError(`${name}: matches is only supported by npx trunkline test; use says`);
    if ((expected.within_ms ?? 0) > HOSTED_LIMITS.withinMs)
      throw new SuiteError(`${name}: within_ms must be at most ${HOSTED_LIMITS.withinMs}`);
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
