import type { Scenario, Suite } from './suite.ts';

/**
 * Returns why a scenario cannot run over the telephone, or null. `brings` is true where the suite creates its agent.
 */
export function telephoneUnsupportedReason(
  { tools }: Suite,
  { steps }: Scenario,
  brings: boolean,
): string | null {
  // The mocks become tools of the agent, so an existing agent must not get them.
  if (tools !== undefined && !brings)
    return 'is called over the carrier, where tools are mocked for an agent that the suite brings';
  // The agent's words are known only after the call, too late for a persona.
  if (steps.some((step) => 'persona' in step))
    return 'is called over the carrier, where personas are not supported';
  return null;
}
