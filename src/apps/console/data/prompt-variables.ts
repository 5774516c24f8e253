const VARIABLE = /\{\{\s*([A-Za-z0-9_.-]{1,64})\s*\}\}/g;

export type Values = Readonly<Record<string, string>>;

export const variablesOf = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(VARIABLE)].map(([, name]) => name as string)),
];

/** Calls leave a variable without a value as it is written. */
export const filled = (text: string, values: Values): string =>
  text.replace(VARIABLE, (whole, name: string) => values[name] || whole);
