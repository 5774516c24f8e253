import { Type } from 'typebox';

/** Names and labels have no control characters, because some databases reject them. */
export const PlainText = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]+$', description });
