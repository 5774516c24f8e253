/** A rule without a language, a plan or a device holds for all of them. The first rule that fits decides. */
export interface ServingRule {
  readonly language?: string;
  readonly plan?: string;
  readonly device?: string;
  readonly use: readonly string[];
}

const CONDITIONS = ['language', 'plan', 'device'] as const;
type Condition = (typeof CONDITIONS)[number];

/** Replaces the rule of the same conditions. Rules of more conditions come first, so that they decide. */
export function withRule(rules: readonly ServingRule[], rule: ServingRule): readonly ServingRule[] {
  const others = rules.filter((one) => CONDITIONS.some((condition) => one[condition] !== rule[condition]));
  const count = (one: ServingRule) => CONDITIONS.filter((condition) => one[condition] !== undefined).length;
  return [rule, ...others].sort((one, other) => count(other) - count(one));
}

export const decidingRule = (
  rules: readonly ServingRule[],
  need: { readonly [C in Condition]?: string | undefined },
): ServingRule | undefined =>
  rules.find((rule) =>
    CONDITIONS.every((condition) => rule[condition] === undefined || rule[condition] === need[condition]),
  );

/** A plan allows what the rules for it, or for all plans, list. */
export const planAllows = (rules: readonly ServingRule[], name: string, plan: string | undefined): boolean =>
  rules.some((rule) => (rule.plan === undefined || rule.plan === plan) && rule.use.includes(name));

export const withoutName = (rules: readonly ServingRule[], name: string): readonly ServingRule[] =>
  rules
    .map((rule) => ({ ...rule, use: rule.use.filter((one) => one !== name) }))
    .filter(({ use }) => use.length > 0);
