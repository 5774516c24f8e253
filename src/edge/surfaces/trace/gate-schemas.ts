import Type from 'typebox';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import { closed, Id, list, nullable, Phone } from './schemas.ts';

export const Suppression = Type.Object({
  object: Type.Literal('trace.suppression'),
  phone_number: Type.String(),
  reason: Type.String(),
  interaction_id: nullable(Type.String()),
  created_at: Type.Integer(),
});
export const SuppressionList = list(Suppression);
export const SuppressionBody = Type.Object(
  { phone_number: Phone, reason: Type.String({ minLength: 1, maxLength: 500 }) },
  closed,
);
export const SuppressionQuery = Type.Object({ phone_number: Phone });
export const Released = Type.Object({
  id: Type.String(),
  object: Type.Literal('trace.suppression'),
  deleted: Type.Literal(true),
});
export const ConsentBody = Type.Object(
  {
    phone_number: Phone,
    basis: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The legal basis, such as `prior_express_written_consent`.',
    }),
    obtained_at: Type.Integer({ minimum: 0, maximum: 1e14 }),
    evidence: Type.Optional(nullable(Type.String({ maxLength: 2000 }))),
  },
  closed,
);
export const Consent = Type.Object({
  id: Type.String(),
  object: Type.Literal('trace.consent'),
  phone_number: Type.String(),
  basis: Type.String(),
  obtained_at: Type.Integer(),
  evidence: nullable(Type.String()),
  revoked_at: nullable(
    Type.Integer({ description: 'When the consent was revoked. It is not valid from this time on.' }),
  ),
  created_at: Type.Integer(),
});
export const ConsentList = list(Consent);
export const ConsentQuery = Type.Object({ ...PageQuery.properties, phone_number: Type.Optional(Phone) });
export const ConsentParams = Type.Object({ id: Id });
export const GateBody = Type.Object({ to: Phone, agent_id: Type.Optional(nullable(Id)) }, closed);
export const GateAnswer = Type.Object({
  object: Type.Literal('trace.gate'),
  allowed: Type.Boolean(),
  reasons: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() })),
  consent: nullable(Type.Object({ id: Type.String(), basis: Type.String(), obtained_at: Type.Integer() })),
});
