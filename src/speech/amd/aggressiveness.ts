import Type from 'typebox';

/** A number from 0 to 1, or its text: parameters of carriers are text, and forms send it. */
export const Aggressiveness = Type.Union(
  [
    Type.Number({ minimum: 0, maximum: 1 }),
    Type.String({ pattern: '^(0|0?\\.[0-9]{1,32}|0\\.|1|1\\.0{0,32})$' }),
  ],
  { description: '0 to 1, as a number or its text; a higher one decides sooner' },
);

/** The result is null when the text is no valid aggressiveness. */
export function readAggressiveness(said: string | number): number | null {
  const value = typeof said === 'string' && said.trim() === '' ? Number.NaN : Number(said);
  return value >= 0 && value <= 1 ? value : null;
}
