import Type from 'typebox';

/** The text form is accepted because parameters of carriers and form fields are text. */
export const Aggressiveness = Type.Union(
  [
    Type.Number({ minimum: 0, maximum: 1 }),
    Type.String({ pattern: '^(0|0?\\.[0-9]{1,32}|0\\.|1|1\\.0{0,32})$' }),
  ],
  {
    description:
      'A value from 0 to 1, as a number or a string. A higher value decides sooner, with less evidence.',
  },
);

export function readAggressiveness(said: string | number): number | null {
  const value = typeof said === 'string' && said.trim() === '' ? Number.NaN : Number(said);
  return value >= 0 && value <= 1 ? value : null;
}
