/** A repeated form field is an error, except where a vendor's clients repeat fields: there the last value counts. */
import Type from 'typebox';
import { expect, it } from 'vitest';
import { defineForm, type Surface } from '../../../src/edge/server/surface.ts';
import { bearer, start } from './fixtures/start.ts';

const form = defineForm(Type.Object({ diarize: Type.Optional(Type.Boolean()) }), {});

const saying: Surface = {
  name: 'saying',
  routes: (app) => {
    for (const lastWins of [false, true])
      app.post(`/v1/said/${lastWins ? 'last' : 'once'}`, {
        config: { access: { kind: 'key', scope: 'kept' }, form: form.schema },
        schema: { response: { 200: Type.Object({ diarize: Type.Optional(Type.Boolean()) }) } },
        handler: async (request) => {
          const reading = { maxBytes: 1, store: async () => 0, discard: async () => {}, lastWins };
          return (await form.read(request, reading)).fields;
        },
      });
  },
};

it.each([
  ['once', 400, { param: 'diarize' }],
  ['last', 200, undefined],
])('is taken as it is to be taken: %s', async (way, status, error) => {
  const { url } = await start({ surfaces: [saying] });
  const body = new FormData();
  for (const said of ['true', 'False']) body.append('diarize', said);
  const response = await fetch(`${url}/v1/said/${way}`, { method: 'POST', headers: bearer, body });
  const answer = (await response.json()) as { diarize?: boolean; error?: object };
  expect(response.status).toBe(status);
  if (error === undefined) expect(answer).toEqual({ diarize: false });
  else expect(answer.error).toMatchObject(error);
});
