import Type, { type Static } from 'typebox';
import { nullable } from '../define-event.ts';

export const DubEventData = Type.Object({
  id: Type.String(),
  object: Type.Literal('dub'),
  status: Type.Enum(['done', 'error']),
  source: Type.String(),
  target: Type.String(),
  revision: Type.Integer({ description: 'The number of times the dub was rendered.' }),
  duration_s: nullable(Type.Number()),
  created_at: Type.Integer(),
  completed_at: nullable(Type.Integer()),
  external_id: nullable(Type.String()),
  error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
});
type DubEventData = Static<typeof DubEventData>;

export const DUB_DONE: DubEventData = {
  id: 'dub_4fT9bQw2LmXc7RzK1hVd',
  object: 'dub',
  status: 'done',
  source: 'es',
  target: 'en',
  revision: 1,
  duration_s: 39.751,
  created_at: 1_795_348_800_000,
  completed_at: 1_795_348_860_000,
  external_id: null,
  error: null,
};

export const DUB_ERROR: DubEventData = {
  ...DUB_DONE,
  status: 'error',
  error: { code: 'no_speech', message: 'The recording has no speech: there is nothing to dub.' },
};
