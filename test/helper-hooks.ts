/**
 * Helpers register here what is undone after a test or after a file. A process that several files share loads a helper
 * once, and a hook that the helper gave to vitest itself would hold for the first of these files alone.
 */
import { afterAll as afterFile, afterEach as afterTest } from 'vitest';

type Step = () => unknown;
const tests: Step[] = [];
const files: Step[] = [];

/** The step runs after each test of every file that the process runs, so it has to be harmless where nothing was opened. */
export const afterEach = (step: Step): void => void tests.push(step);
export const afterAll = (step: Step): void => void files.push(step);

const inTurn = async (steps: readonly Step[]): Promise<void> => {
  const failures: unknown[] = [];
  for (const step of [...steps].reverse())
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
};

/** The setup file calls this for each test file. */
export function runHelperHooks(): void {
  afterTest(() => inTurn(tests));
  afterFile(() => inTurn(files));
}
