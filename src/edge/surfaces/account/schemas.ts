import { Type } from 'typebox';
import type { ApiKey, IssuedKey, Project } from '../../../foundation/access/index.ts';

export const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

export const Named = Type.Object({ id: Type.String(), name: Type.String() });

const MICROS = 'micro-units of currency (millionths)';

const keyFields = {
  object: Type.Literal('api_key'),
  id: Type.String(),
  name: Type.String(),
  project_id: Type.String(),
  environment: Type.Enum(['live', 'sandbox']),
  scopes: Type.Array(Type.String()),
  hint: Type.String({ description: 'The first characters of the key.' }),
  budget_micros: Nullable(
    Type.Integer({ description: `Maximum spending of the key per UTC month, in ${MICROS}.` }),
  ),
  created_at: Type.Integer(),
  expires_at: Nullable(Type.Integer()),
  revoked_at: Nullable(Type.Integer()),
  rotated_at: Nullable(Type.Integer()),
};

export const KeyView = Type.Object(keyFields);

export const IssuedKeyView = Type.Object({ ...keyFields, api_key: Type.String() }, { title: 'IssuedApiKey' });

export const KeyList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(KeyView),
  next_cursor: Nullable(Type.String()),
});

export const showKey = (key: ApiKey) => ({
  object: 'api_key' as const,
  id: key.id,
  name: key.name,
  project_id: key.projectId,
  environment: key.environment,
  scopes: [...key.scopes],
  hint: key.hint,
  budget_micros: key.budgetMicros,
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  rotated_at: key.rotatedAt,
});

export const showIssuedKey = (key: IssuedKey) => ({ ...showKey(key), api_key: key.text });

/** The limit is the largest whole number of micro-units that JSON carries exactly. */
export const Micros = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const ProjectView = Type.Object({
  object: Type.Literal('project'),
  id: Type.String(),
  name: Type.String(),
  created_at: Type.Integer(),
});

export const showProject = ({ id, name, createdAt }: Project) => ({
  object: 'project' as const,
  id,
  name,
  created_at: createdAt,
});
