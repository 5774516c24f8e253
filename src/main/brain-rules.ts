import type { BrainRequest } from '../conversation/brains/index.ts';
import type { Config } from '../foundation/platform/config/index.ts';
import { decidingRule, planAllows, type ServingRule } from '../speech/added-models/index.ts';
import { brainNames } from './brain-settings.ts';
import { addedNames } from './local-brains.ts';

/** The model that serves where nothing is named, whether or not the operator's list has an entry of this name. */
export const DEFAULT_BRAIN = 'default';

export const knownBrains = (config: Config): string[] => [
  ...new Set([DEFAULT_BRAIN, ...brainNames(config), ...addedNames(config)]),
];

/**
 * Returns the name of the model that serves a request. Without rules, every agent may name every model. A message or
 * an analysis is not bound to a plan: there the agent's model serves where the rules of any plan list it.
 */
export function chooseBrain(
  rules: readonly ServingRule[],
  isKnown: (name: string) => boolean,
  {
    brain,
    plan,
    language,
    device,
  }: Pick<BrainRequest, 'brain' | 'plan'> & { readonly language?: string; readonly device?: string },
): string | undefined {
  if (rules.length === 0) return brain;
  const isAllowed = (name: string) =>
    plan === undefined ? rules.some(({ use }) => use.includes(name)) : planAllows(rules, name, plan);
  if (brain !== undefined && isKnown(brain) && isAllowed(brain)) return brain;
  return decidingRule(rules, { language, plan, device })?.use.find(isKnown);
}
