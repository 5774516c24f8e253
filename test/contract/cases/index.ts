import type { Cases } from '../case.ts';
import { accountCases } from './account.ts';
import { agentCases } from './agents.ts';
import { amdCases } from './amd.ts';
import { castCases } from './cast.ts';
import { catalogueCases } from './catalogue.ts';
import { compatCases } from './compat.ts';
import { complianceCases } from './compliance.ts';
import { dubCases } from './dub.ts';
import { integrationCases } from './integrations.ts';
import { knowledgeCases } from './knowledge.ts';
import { mcpCases } from './mcp.ts';
import { msgappCases } from './msgapp.ts';
import { omniCases } from './omni.ts';
import { platformCases } from './platform.ts';
import { privacyCases } from './privacy.ts';
import { recapCases } from './recap.ts';
import { speechCases } from './speech.ts';
import { telephonyCases } from './telephony.ts';
import { traceCases } from './trace.ts';
import { webhookCases } from './webhooks.ts';

/** One file a surface. An operation without a case fails the contract test. */
export const CASES: Cases = {
  ...compatCases,
  ...platformCases,
  ...accountCases,
  ...catalogueCases,
  ...castCases,
  ...webhookCases,
  ...integrationCases,
  ...speechCases,
  ...knowledgeCases,
  ...omniCases,
  ...mcpCases,
  ...msgappCases,
  ...agentCases,
  ...amdCases,
  ...complianceCases,
  ...privacyCases,
  ...traceCases,
  ...recapCases,
  ...telephonyCases,
  ...dubCases,
};
