/** The bound on nesting protects recursive code from exhausting the stack. */
export const nestsWithin = (levels: number, value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((item) => nestsWithin(levels - 1, item)));
