import Type, { type Static } from 'typebox';

const Micros = (description: string) =>
  Type.Integer({ description: `${description}, in millionths of the currency.` });

export const CreditLowData = Type.Object({
  org_id: Type.String(),
  balance_micros: Micros('The remaining balance'),
  threshold_micros: Micros('The threshold: a tenth of the last added credit'),
});

export const CREDIT_LOW: Static<typeof CreditLowData> = {
  org_id: 'org_4fT9bQw2LmXc7RzK1hVd',
  balance_micros: 9_420_000,
  threshold_micros: 10_000_000,
};

export const InvoiceData = Type.Object({
  id: Type.String(),
  org_id: Type.String(),
  period: Type.String({ description: 'The month in UTC.', examples: ['2026-11'] }),
  amount_micros: Micros('The sum of the invoice lines'),
  issued_at: Type.Integer(),
});

export const INVOICE_ISSUED: Static<typeof InvoiceData> = {
  id: 'inv_4fT9bQw2LmXc7RzK1hVd',
  org_id: 'org_4fT9bQw2LmXc7RzK1hVd',
  period: '2026-10',
  amount_micros: 18_350_000,
  issued_at: 1_795_348_800_000,
};
