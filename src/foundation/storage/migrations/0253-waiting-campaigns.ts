import type { Migration } from '../migrate.ts';

export const waitingCampaigns: Migration = {
  number: 253,
  name: 'waiting-campaigns',
  statements: (db) => [
    db.schema.alterTable('telephony_campaigns').addColumn('waiting_for', 'text'),
    db.schema
      .createIndex('telephony_targets_in_order')
      .on('telephony_targets')
      .columns(['campaign_id', 'position']),
    db.schema.createIndex('telephony_targets_by_call').on('telephony_targets').columns(['call_id']),
  ],
};
