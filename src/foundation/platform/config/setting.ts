import Type, { type Static, type TSchema } from 'typebox';

export interface Setting<S extends TSchema = TSchema, F = unknown> {
  readonly schema: S;
  /** This value applies where the setting is absent; null turns the feature off. */
  readonly fallback: F;
  readonly doc: string;
  /** `whole` is never shown. `url` is shown without its password. */
  readonly secret?: 'whole' | 'url';
}

export const setting = <S extends TSchema, F extends Static<S> | null>(
  schema: S,
  fallback: F,
  doc: string,
  secret?: 'whole' | 'url',
): Setting<S, F> => ({ schema, fallback, doc, ...(secret ? { secret } : {}) });

export const text = Type.String({ minLength: 1 });
export const url = (...schemes: string[]) =>
  Type.String({ pattern: `^(${schemes.join('|')})://.`, description: `URL: ${schemes.join(', ')}` });
