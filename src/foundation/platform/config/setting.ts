import Type, { type Static, type TSchema } from 'typebox';

export interface Setting<S extends TSchema = TSchema, F = unknown> {
  readonly schema: S;
  readonly fallback: F;
  readonly doc: string;
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
