export const constraintsOf = (schema: object, ...keywords: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(keywords.map((keyword) => [keyword, (schema as Record<string, unknown>)[keyword]]));
