import { type Cases, plain } from '../case.ts';

export const webhookCases: Cases = {
  'POST /v1/webhooks/signing-secret': plain,
  'GET /v1/webhooks/deliveries': plain,
  'POST /v1/webhooks/deliveries/{id}/redeliver': {
    good: () => ({ path: { id: 'dlv_00000000000000000000' } }),
    cannotSucceed: 'a delivery needs a receiver: test/foundation/webhooks has one',
  },
};
