import Type, { type Static } from 'typebox';

export const CastRenderData = Type.Object({
  id: Type.String(),
  object: Type.Literal('cast.render'),
  project_id: Type.String({ description: 'The ID of the project that was rendered.' }),
  status: Type.Literal('completed'),
  duration_ms: Type.Integer(),
  billed_ms: Type.Integer(),
  lines_total: Type.Integer(),
  created_at: Type.Integer(),
  completed_at: Type.Integer(),
});

export const RENDER_COMPLETED: Static<typeof CastRenderData> = {
  id: 'rend_4fT9bQw2LmXc7RzK1hVd',
  object: 'cast.render',
  project_id: 'cast_4fT9bQw2LmXc7RzK1hVd',
  status: 'completed',
  duration_ms: 93_480,
  billed_ms: 41_200,
  lines_total: 24,
  created_at: 1_795_348_740_000,
  completed_at: 1_795_348_800_000,
};
