import type { Migration } from '../migrate.ts';

export const messagePrices: Migration = {
  number: 22,
  name: 'message-prices',
  statements: (db) => [
    db
      .insertInto('prices')
      .values({ meter: 'messages', from_month: '2000-01', unit: 'call', micros: 0, per: 1, free_units: 0 }),
  ],
};
