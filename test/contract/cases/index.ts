import type { Cases } from '../case.ts';
import { accountCases } from './account.ts';
import { agentCases } from './agents.ts';
import { amdCases } from './amd.ts';
import { catalogueCases } from './catalogue.ts';
import { compatCases } from './compat.ts';
import { knowledgeCases } from './knowledge.ts';
import { omniCases } from './omni.ts';
import { platformCases } from './platform.ts';
import { privacyCases } from './privacy.ts';
import { recapCases } from './recap.ts';
import { speechCases } from './speech.ts';
import { traceCases } from './trace.ts';
import { webhookCases } from './webhooks.ts';

/** One file a surface. An operation without a case fails the contract test. */
export const CASES: Cases = {
  ...compatCases,
  ...platformCases,
  ...accountCases,
  ...catalogueCases,
  ...webhookCases,
  ...speechCases,
  ...knowledgeCases,
  ...omniCases,
  ...agentCases,
  ...amdCases,
  ...privacyCases,
  ...traceCases,
  ...recapCases,
};
