import type { FunctionComponent } from 'preact';
import { Account } from './account.tsx';
import { Agent } from './agent.tsx';
import { Agents } from './agents.tsx';
import { Amd } from './amd.tsx';
import { AmdCall } from './amd-call.tsx';
import { Audit } from './audit.tsx';
import { Call } from './call.tsx';
import { Calls } from './calls.tsx';
import { Campaign } from './campaign.tsx';
import { Campaigns } from './campaigns.tsx';
import { CaseOfNumber } from './case.tsx';
import { Cases } from './cases.tsx';
import { Cast } from './cast.tsx';
import { CastProject } from './cast-project.tsx';
import { Dub } from './dub.tsx';
import { DubOne } from './dub-one.tsx';
import { Home } from './home.tsx';
import { Integrations } from './integrations.tsx';
import { Job } from './job.tsx';
import { Jobs } from './jobs.tsx';
import { Keys } from './keys.tsx';
import { Knowledge } from './knowledge.tsx';
import { KnowledgeBase } from './knowledge-base.tsx';
import { Limits } from './limits.tsx';
import { Live } from './live.tsx';
import { Members } from './members.tsx';
import { Messages } from './messages.tsx';
import { Numbers } from './numbers.tsx';
import { Organization } from './organization.tsx';
import { Organizations } from './organizations.tsx';
import { Recap } from './recap.tsx';
import { Status } from './status.tsx';
import { Tools } from './tools.tsx';
import { Trace } from './trace.tsx';
import { Usage } from './usage.tsx';
import { Webhooks } from './webhooks.tsx';

export interface PageProps {
  /** The rest of the path after the page's name. */
  readonly rest: readonly string[];
}

type AnyPage = FunctionComponent<PageProps>;

/** A list, and one of it where the address names one. */
const listOr =
  (List: FunctionComponent, One: FunctionComponent<{ id: string }>): AnyPage =>
  ({ rest: [id] }) =>
    id === undefined ? <List /> : <One id={id} />;

const PAGES: Readonly<Record<string, AnyPage>> = {
  home: Home,
  live: Live,
  calls: listOr(Calls, Call),
  agents: listOr(Agents, Agent),
  tools: Tools,
  knowledge: listOr(Knowledge, KnowledgeBase),
  jobs: listOr(Jobs, Job),
  trace: Trace,
  recap: Recap,
  amd: listOr(Amd, AmdCall),
  cast: listOr(Cast, CastProject),
  dub: listOr(Dub, DubOne),
  numbers: Numbers,
  campaigns: listOr(Campaigns, Campaign),
  cases: listOr(Cases, CaseOfNumber),
  messages: Messages,
  integrations: Integrations,
  webhooks: Webhooks,
  keys: Keys,
  members: Members,
  usage: Usage,
  limits: Limits,
  audit: Audit,
  status: Status,
  account: Account,
  organization: Organization,
  organizations: Organizations,
};

export const pageOf = (name: string): AnyPage | null =>
  Object.hasOwn(PAGES, name) ? (PAGES[name] as AnyPage) : null;
