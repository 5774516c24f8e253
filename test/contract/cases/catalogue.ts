import { type Cases, plain } from '../case.ts';

export const catalogueCases: Cases = {
  'GET /v1/models': plain,
  'GET /v1/models/{id}': { good: () => ({ path: { id: 'svc-hear' } }), shared: true },
  'GET /v1/voices': plain,
  'GET /v1/audio/voices': plain,
  'GET /reference/latest.json': plain,
  // Every tenant shares the catalogue, and an unknown alias gets the default.
  'GET /v1/voices/{id}': { good: () => ({ path: { id: 'en1' } }), shared: true },
  'GET /reference/{date}.json': {
    good: async (world) => {
      const unknown = await world.send('/reference/1999-01-01.json');
      const [latest] = /\d{4}-\d\d-\d\d/.exec(String(unknown.json?.detail)) ?? [];
      return { path: { date: latest ?? 'none' } };
    },
    shared: true,
  },
};
