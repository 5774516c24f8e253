import type { FunctionComponent } from 'preact';
import { lazy } from '../kit/lazy.tsx';

export interface PageProps {
  readonly rest: readonly string[];
}

type AnyPage = FunctionComponent<PageProps>;

type PageOfOne = FunctionComponent<{ id: string; rest: readonly string[] }>;

const listOr =
  (List: FunctionComponent, One: PageOfOne): AnyPage =>
  ({ rest: [id, ...rest] }) =>
    id === undefined ? <List /> : <One id={id} rest={rest} />;

/** `#/agents/agt_1/flow` is the canvas of the agent. */
const orFlow =
  (Agent: PageOfOne, Canvas: PageOfOne): PageOfOne =>
  ({ id, rest: [part, ...rest] }) =>
    part === 'flow' ? <Canvas id={id} rest={rest} /> : <Agent id={id} rest={rest} />;

const PAGES: Readonly<Record<string, AnyPage>> = {
  home: lazy(async () => (await import('./home.tsx')).Home),
  analytics: lazy(async () => (await import('./analytics.tsx')).Analytics),
  voices: lazy(async () => (await import('./voices.tsx')).Voices),
  'try-speak': lazy(async () => (await import('./try-speak.tsx')).TrySpeak),
  'try-hear': lazy(async () => (await import('./try-hear.tsx')).TryHear),
  tests: lazy(async () => (await import('./tests.tsx')).Tests),
  'try-amd': lazy(async () => (await import('./try-amd.tsx')).TryAmd),
  'try-knowledge': lazy(async () => (await import('./try-knowledge.tsx')).TryKnowledge),
  live: lazy(async () => (await import('./live.tsx')).Live),
  calls: listOr(
    lazy(async () => (await import('./calls.tsx')).Calls),
    lazy(async () => (await import('./call.tsx')).Call),
  ),
  agents: listOr(
    lazy(async () => (await import('./agents.tsx')).Agents),
    orFlow(
      lazy(async () => (await import('./agent.tsx')).Agent),
      lazy(async () => (await import('./flow.tsx')).FlowPage),
    ),
  ),
  tools: lazy(async () => (await import('./tools.tsx')).Tools),
  knowledge: listOr(
    lazy(async () => (await import('./knowledge.tsx')).Knowledge),
    lazy(async () => (await import('./knowledge-base.tsx')).KnowledgeBase),
  ),
  jobs: listOr(
    lazy(async () => (await import('./jobs.tsx')).Jobs),
    lazy(async () => (await import('./job.tsx')).Job),
  ),
  trace: lazy(async () => (await import('./trace.tsx')).Trace),
  recap: lazy(async () => (await import('./recap.tsx')).Recap),
  amd: listOr(
    lazy(async () => (await import('./amd.tsx')).Amd),
    lazy(async () => (await import('./amd-call.tsx')).AmdCall),
  ),
  cast: listOr(
    lazy(async () => (await import('./cast.tsx')).Cast),
    lazy(async () => (await import('./cast-project.tsx')).CastProject),
  ),
  dub: listOr(
    lazy(async () => (await import('./dub.tsx')).Dub),
    lazy(async () => (await import('./dub-one.tsx')).DubOne),
  ),
  numbers: lazy(async () => (await import('./numbers.tsx')).Numbers),
  campaigns: listOr(
    lazy(async () => (await import('./campaigns.tsx')).Campaigns),
    lazy(async () => (await import('./campaign.tsx')).Campaign),
  ),
  cases: listOr(
    lazy(async () => (await import('./cases.tsx')).Cases),
    lazy(async () => (await import('./case.tsx')).CaseOfNumber),
  ),
  messages: lazy(async () => (await import('./messages.tsx')).Messages),
  integrations: lazy(async () => (await import('./integrations.tsx')).Integrations),
  webhooks: lazy(async () => (await import('./webhooks.tsx')).Webhooks),
  keys: lazy(async () => (await import('./keys.tsx')).Keys),
  'provider-keys': lazy(async () => (await import('./provider-keys.tsx')).ProviderKeys),
  members: lazy(async () => (await import('./members.tsx')).Members),
  usage: lazy(async () => (await import('./usage.tsx')).Usage),
  limits: lazy(async () => (await import('./limits.tsx')).Limits),
  audit: lazy(async () => (await import('./audit.tsx')).Audit),
  status: lazy(async () => (await import('./status.tsx')).Status),
  account: lazy(async () => (await import('./account.tsx')).Account),
  embed: lazy(async () => (await import('./embed.tsx')).Embed),
  server: lazy(async () => (await import('./server.tsx')).Server),
  models: lazy(async () => (await import('./models.tsx')).Models),
  plans: lazy(async () => (await import('./plans.tsx')).Plans),
  organizations: lazy(async () => (await import('./organizations.tsx')).Organizations),
  organization: lazy(async () => (await import('./organization.tsx')).Organization),
};

export const pageOf = (name: string): AnyPage | null =>
  Object.hasOwn(PAGES, name) ? (PAGES[name] as AnyPage) : null;
