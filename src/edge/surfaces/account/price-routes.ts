import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { type BillingService, METERING, type NewPrice } from '../../../foundation/billing/index.ts';

const OPERATOR = { access: { kind: 'operator' } } as const;
const tags = ['Plans'];

const METERS = [
  ...new Set(Object.values(METERING).flatMap(({ meter }) => (meter === null ? [] : [meter]))),
].sort();

const whole = (minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: 1_000_000_000_000, description });

const fields = {
  from_month: Type.String({
    pattern: '^\\d{4}-(0[1-9]|1[0-2])$',
    description:
      'The first UTC month in which the price applies, such as `2027-01`. It must be a future month.',
  }),
  micros: whole(0, 'The price of every `per` units, in micro-units of currency.'),
  per: whole(1, 'Units'),
  free_units: whole(0, 'Free units per month.'),
};
const Change = Type.Object({ ...fields, free_units: Type.Optional(fields.free_units) });
const Price = Type.Object({
  object: Type.Literal('price'),
  meter: Type.Enum(METERS),
  unit: Type.Enum(['second', 'call_minute', 'call']),
  ...fields,
});
const Params = Type.Object({ meter: Type.Enum(METERS) });
type Params = { meter: NewPrice['meter'] };

export function priceRoutes(app: FastifyInstance, { priceBook }: BillingService): void {
  app.get(
    '/v1/prices',
    {
      config: OPERATOR,
      schema: {
        summary: 'List all prices of all meters, newest first',
        tags,
        response: { 200: Type.Object({ object: Type.Literal('list'), data: Type.Array(Price) }) },
      },
    },
    async () => {
      const rows = await priceBook.list();
      return { object: 'list' as const, data: rows.map((row) => ({ object: 'price' as const, ...row })) };
    },
  );
  app.put<{ Params: Params; Body: Static<typeof Change> }>(
    '/v1/prices/:meter',
    {
      config: OPERATOR,
      schema: {
        summary: 'Set the price of a meter from a future month on',
        tags,
        params: Params,
        body: Change,
        response: { 200: Price },
      },
    },
    async (request) => {
      const price = { free_units: 0, ...request.body, meter: request.params.meter };
      return { object: 'price' as const, ...(await priceBook.put(price, request.doer())) };
    },
  );
}
