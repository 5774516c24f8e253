import { type Static, Type } from 'typebox';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import { PlainText } from '../../../foundation/platform/plain-text.ts';
import { OUTCOMES } from '../../../products/recap/index.ts';

const Moment = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

export const CallQuery = Type.Object({
  ...PageQuery.properties,
  agent_id: Type.Optional(Type.String({ pattern: '^agt_[0-9A-Za-z]{20}$' })),
  agent_version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Only with `agent_id`.' }),
  ),
  session_label: Type.Optional(PlainText(128, 'The label that was passed on connect.')),
  external_id: Type.Optional(PlainText(256, 'The end user, as set in `configure.meta`.')),
  status: Type.Optional(Type.Enum(['completed', 'failed'])),
  outcome: Type.Optional(Type.Enum([...OUTCOMES], { description: 'The outcome in the summary.' })),
  from: Type.Optional(Moment('Only return calls that started at or after this Unix time in milliseconds.')),
  to: Type.Optional(Moment('Only return calls that started at or before this Unix time in milliseconds.')),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Words, or prefixes of words, that must all occur in the transcript.',
    }),
  ),
});
export type CallQuery = Static<typeof CallQuery>;
