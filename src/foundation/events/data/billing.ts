import Type, { type Static } from 'typebox';

const Micros = (description: string) =>
  Type.Integer({ description: `${description}, in millionths of the currency` });

export const CreditLowData = Type.Object({
  org_id: Type.String(),
  balance_micros: Micros('What is left'),
  threshold_micros: Micros('What it has fallen below: a tenth of the credit that was added last'),
});

export const CREDIT_LOW: Static<typeof CreditLowData> = {
  org_id: 'org_4fT9bQw2LmXc7RzK1hVd',
  balance_micros: 9_420_000,
  threshold_micros: 10_000_000,
};

export const InvoiceData = Type.Object({
  id: Type.String(),
  org_id: Type.String(),
  period: Type.String({ description: 'A month, UTC', examples: ['2026-11'] }),
  amount_micros: Micros('The sum of its lines'),
  issued_at: Type.Integer(),
});

export const INVOICE_ISSUED: Static<typeof InvoiceData> = {
  id: 'inv_4fT9bQw2LmXc7RzK1hVd',
  org_id: 'org_4fT9bQw2LmXc7RzK1hVd',
  period: '2026-10',
  amount_micros: 18_350_000,
  issued_at: 1_795_348_800_000,
};
