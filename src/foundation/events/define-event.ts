import Type, { type Static, type TSchema } from 'typebox';

export interface EventDefinition<S extends TSchema = TSchema> {
  readonly description: string;
  /** It increases when a field is removed or changes its meaning, not when a field is added. */
  readonly version: number;
  readonly data: S;
  readonly sample: Static<S>;
}

export const defineEvent = <S extends TSchema>(
  description: string,
  data: S,
  sample: Static<S>,
  version = 1,
): EventDefinition<S> => ({ description, version, data, sample });

export type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

export const envelopeOf = <S extends TSchema>(type: string, data: S) =>
  Type.Object({
    id: Type.String({
      pattern: '^evt_[0-9A-Za-z]{20}$',
      description: 'The ID of the event. It is the same for every delivery attempt.',
    }),
    type: Type.Literal(type),
    created_at: Type.Integer({ description: 'Unix time in milliseconds.' }),
    data,
  });

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
