import type { MessageBilling } from '../../../src/telephony/messages/index.ts';

export const FREE_TEXTS: MessageBilling = {
  admit: async ({ org, project, environment }, keyId) => ({
    charge: { account: { orgId: org, projectId: project, keyId, environment }, hold: null },
    keep: async () => undefined,
    handOver: () => undefined,
    release: async () => undefined,
  }),
  settle: async () => undefined,
  giveBack: async () => undefined,
};
