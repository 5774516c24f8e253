/** Adds idempotency to routes: a route states `config.idempotent`, and its handler does its work in `request.once`. */
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import Type, { type TObject } from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { bodyHash, type IdempotencyStore, type StoreResponse } from './idempotency-store.ts';

const HEADER = 'idempotency-key';

const Key = Type.String({
  minLength: 1,
  maxLength: 255,
  description:
    'If the same JSON body is sent again with the same key within 24 hours, the request has no second effect and returns the first response. Form requests ignore it.',
});

export interface IdempotencyOptions {
  readonly idempotencyStore: IdempotencyStore | undefined;
}

function describe(route: RouteOptions, { idempotencyStore: answers }: IdempotencyOptions): void {
  const { idempotent } = route.config ?? {};
  if (idempotent === undefined) return;
  if (answers === undefined)
    throw new Error(`route ${route.url} is idempotent, but the server has no idempotency store`);
  const given = route.schema?.headers as TObject | undefined;
  const key = idempotent === 'required' ? Key : Type.Optional(Key);
  const headers = Type.Object({ ...given?.properties, [HEADER]: key }, { additionalProperties: true });
  route.schema = { ...route.schema, headers };
  const errors = route.config?.errors ?? [];
  if (!errors.includes('idempotency_conflict'))
    route.config = { ...route.config, errors: [...errors, 'idempotency_conflict'] } as typeof route.config;
}

/** Forms have no idempotency key: their parts are streamed, so bodies cannot be compared. */
const keyOf = (request: FastifyRequest): string | undefined => {
  const key = request.isMultipart() ? undefined : request.headers[HEADER];
  if (Array.isArray(key))
    throw new ApiError('invalid_request', 'Idempotency-Key was sent more than once; send it once.', {
      param: HEADER,
    });
  return key;
};

export function registerIdempotency(app: FastifyInstance, options: IdempotencyOptions): void {
  const { idempotencyStore: answers } = options;
  app.addHook('onRoute', (route) => describe(route, options));
  app.decorateRequest('once', async function once<
    T,
  >(this: FastifyRequest, work: (keep: StoreResponse) => Promise<T>): Promise<T> {
    if (this.routeOptions.config.idempotent === undefined || answers === undefined)
      throw new Error(`${this.routeOptions.url} does not say config.idempotent`);
    const key = keyOf(this);
    if (key === undefined) return await work(async () => {});
    const route = new URL(this.url, 'http://local').pathname.replace(/^\/v1\//, '');
    return await answers.runOnce(
      { tenantScope: this.tenantScope(), route, key, bodyHash: bodyHash(this.body) },
      work,
    );
  });
}
