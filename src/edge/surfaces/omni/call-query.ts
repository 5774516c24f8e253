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
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'with agent_id alone' }),
  ),
  session_label: Type.Optional(PlainText(128, 'the tag that was passed on connect')),
  external_id: Type.Optional(PlainText(256, 'the person, as `configure.meta` named them')),
  status: Type.Optional(Type.Enum(['completed', 'failed'])),
  outcome: Type.Optional(Type.Enum([...OUTCOMES], { description: 'as the summary has it' })),
  from: Type.Optional(Moment('calls that began then or later, Unix milliseconds')),
  to: Type.Optional(Moment('calls that began then or before, Unix milliseconds')),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'words of the transcript, or how they begin: all of them were said',
    }),
  ),
});
export type CallQuery = Static<typeof CallQuery>;
