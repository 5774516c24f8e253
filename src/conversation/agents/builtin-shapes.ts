export const BUILTIN_MS = 5_000;

export const argumentsOf = (
  properties: Record<string, unknown>,
  required: readonly string[] = Object.keys(properties),
) => ({ type: 'object', properties, required: [...required], additionalProperties: false });

export const TRANSFER = argumentsOf({
  to: { type: 'string', minLength: 1, maxLength: 200, description: 'who is to take it' },
  summary: { type: 'string', maxLength: 2000, description: 'what that person should know' },
});
export const REMEMBER = argumentsOf({ fact: { type: 'string', minLength: 1, maxLength: 500 } });
