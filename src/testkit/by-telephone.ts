import type { Scenario, Suite } from './suite.ts';

/** Why a scenario cannot be played by telephone; null: it can. */
export function lacksOfTelephone({ tools }: Suite, { steps }: Scenario): string | null {
  if (tools !== undefined) return 'is called over the carrier, where a suite mocks no tools';
  // What the agent says is known in words once the call is over.
  if (steps.some((step) => 'persona' in step))
    return 'is called over the carrier, where nobody plays a persona';
  return null;
}
