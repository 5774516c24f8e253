import type { Scenario, Suite } from './suite.ts';

/** Why a scenario cannot be played by telephone; null: it can. `brings`: its agent is the suite's own. */
export function telephoneUnsupportedReason(
  { tools }: Suite,
  { steps }: Scenario,
  brings: boolean,
): string | null {
  // They become the agent's own, which an agent that stands on the server is spared.
  if (tools !== undefined && !brings)
    return 'is called over the carrier, where tools are mocked for an agent that the suite brings';
  // The agent's words are known once the call is over.
  if (steps.some((step) => 'persona' in step))
    return 'is called over the carrier, where nobody plays a persona';
  return null;
}
