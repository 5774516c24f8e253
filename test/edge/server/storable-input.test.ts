// @requirement API contract: Unknown, malformed and overlong ids get one answer.
// @requirement API contract: No `%00` reaches a database.
// @requirement API contract: Deep JSON, `%00`, malformed ids and proxy headers are refused.
import Type from 'typebox';
import { expect, it } from 'vitest';
import { defineForm, type Surface } from '../../../src/edge/server/surface.ts';
import { bearer, start } from './fixtures/start.ts';

const access = { kind: 'key', scope: 'kept' } as const;
const form = defineForm(Type.Object({ list: Type.Optional(Type.Array(Type.Unknown())) }), {});

const keeping: Surface = {
  name: 'keeping',
  routes: (app) => {
    app.get<{ Params: { id: string } }>('/v1/kept/:id', {
      config: { access },
      schema: {
        params: Type.Object({ id: Type.String() }),
        querystring: Type.Object({ like: Type.Optional(Type.String()) }),
        response: { 200: Type.Object({ id: Type.String() }) },
      },
      handler: async ({ params }) => ({ id: params.id }),
    });
    app.post('/v1/kept', {
      config: { access },
      schema: {
        body: Type.Object({ metadata: Type.Record(Type.String(), Type.Unknown()) }),
        response: { 200: Type.Object({ kept: Type.String() }) },
      },
      handler: async ({ body }) => ({ kept: JSON.stringify(body).slice(0, 100) }),
    });
    app.post('/v1/kept/form', {
      config: { access, form: form.schema },
      schema: { response: { 200: Type.Object({ kept: Type.String() }) } },
      handler: async (request) => {
        const reading = { maxBytes: 1, store: async () => 0, discard: async () => {} };
        const { fields } = await form.read(request, reading);
        return { kept: JSON.stringify(fields) };
      },
    });
  },
};

async function serve() {
  const { url } = await start({ surfaces: [keeping] });
  const answer = async (path: string, init: RequestInit = {}) => {
    const headers = { ...bearer, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(url + path, { ...init, headers });
    const { error } = (await response.json()) as { error?: { code: string; param: string | null } };
    return [response.status, error?.code, error?.param ?? null];
  };
  const post = (body: string) =>
    answer('/v1/kept', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  const postForm = (list: string) => {
    const body = new FormData();
    body.append('list', list);
    return answer('/v1/kept/form', { method: 'POST', body });
  };
  return { answer, post, postForm };
}

const nested = (levels: number, open: string, close: string): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

it('a NUL is in no id, no query, no text and no name of a field', async () => {
  const { answer, post, postForm } = await serve();
  expect(await answer('/v1/kept/%00')).toEqual([404, 'not_found', null]);
  expect(await answer('/v1/kept/job_%00x')).toEqual([404, 'not_found', null]);
  expect(await answer('/v1/kept/x?like=%00')).toEqual([400, 'invalid_request', 'like']);
  expect(await post('{"metadata":{"a":"\\u0000"}}')).toEqual([400, 'invalid_request', null]);
  expect(await post('{"metadata":{"\\u0000":1}}')).toEqual([400, 'invalid_request', null]);
  expect(await postForm('["\\u0000"]')).toEqual([400, 'invalid_request', null]);
  expect(await postForm('\0')).toEqual([400, 'invalid_request', 'list']);
  // The text holds the six characters of the escape, not the character NUL.
  expect(await post('{"metadata":{"a":"\\\\u0000"}}')).toEqual([200, undefined, null]);
});

it('an id that is no id is unknown, and a URL that is none is refused', async () => {
  const { answer } = await serve();
  expect(await answer('/v1/kept/%ff')).toEqual([400, 'invalid_request', null]);
  expect(await answer('/v1/kept/%F0%9F%92%A9')).toEqual([200, undefined, null]);
});

it('JSON is taken as deep as anybody means it, and refused beyond', async () => {
  const { post, postForm } = await serve();
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    expect(await post(`{"metadata":{"a":${nested(60, open, close)}}}`)).toEqual([200, undefined, null]);
    for (const levels of [65, 2_000, 100_000])
      expect(await post(`{"metadata":{"a":${nested(levels, open, close)}}}`)).toEqual([
        400,
        'invalid_request',
        null,
      ]);
  }
  expect(await postForm(nested(10_000, '[', ']'))).toEqual([400, 'invalid_request', null]);
});
