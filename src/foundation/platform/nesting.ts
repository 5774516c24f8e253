/** Whether objects and arrays nest no deeper than this within each other: what is deeper exhausts whoever walks through it. */
export const nestsWithin = (levels: number, value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((item) => nestsWithin(levels - 1, item)));
