import { Type } from 'typebox';

/** A text without control characters: no name or label has them, and no database keeps them all. */
export const PlainText = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]+$', description });
