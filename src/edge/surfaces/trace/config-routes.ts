import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { tenantScopeOf } from '../../../foundation/access/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { GateError, type UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import {
  AT_FIRST,
  type Packs,
  type TraceSettings,
  type TraceSettingsStore,
} from '../../../products/trace/index.ts';
import { Config, ConfigBody, ConfigQuery } from './schemas.ts';

export interface ConfigDeps {
  readonly settings: TraceSettingsStore;
  readonly packs: Packs;
  readonly urls: Pick<UrlGate, 'check'>;
}

const tags = ['Trace'];
const CONFIGURE = { access: { kind: 'key', scope: 'trace:configure' } } as const;

export function configRoutes(app: FastifyInstance, { settings, packs, urls }: ConfigDeps): void {
  app.get<{ Querystring: Static<typeof ConfigQuery> }>('/v1/trace/config', {
    config: CONFIGURE,
    schema: {
      summary: 'Get the monitoring configuration of an agent',
      description:
        'Without `agent_id`, returns the default configuration, which applies to every agent without its own.',
      tags,
      querystring: ConfigQuery,
      response: { 200: Config },
    },
    handler: async (request) => {
      const { agent_id: agentId = null } = request.query;
      return show(agentId, await settings.of(tenantScopeOf(request.caller()), agentId));
    },
  });

  app.put<{ Body: Static<typeof ConfigBody> }>('/v1/trace/config', {
    config: CONFIGURE,
    schema: {
      summary: 'Set the monitoring configuration of an agent',
      description: 'Omitted fields are reset to their defaults.',
      tags,
      body: ConfigBody,
      response: { 200: Config },
    },
    handler: async (request) => {
      const { agent_id: agentId = null, ...said } = request.body;
      const scope = tenantScopeOf(request.caller());
      const wanted = wholeOf(said);
      if (wanted.webhook_url !== null) checkUrl(urls, wanted.webhook_url);
      await packs.chosen(scope, wanted.rule_packs);
      await settings.put(scope, agentId, wanted);
      return show(agentId, wanted);
    },
  });
}

const show = (agent_id: string | null, settings: TraceSettings) => ({
  object: 'trace.config' as const,
  agent_id,
  ...settings,
  rule_packs: settings.rule_packs.map((pack) => ({ ...pack })),
});

function wholeOf({ actions, ...said }: Omit<Static<typeof ConfigBody>, 'agent_id'>): TraceSettings {
  const named = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  return {
    ...AT_FIRST,
    ...named,
    actions:
      actions === undefined
        ? AT_FIRST.actions
        : { on_violation: actions.on_violation, safe_line: actions.safe_line ?? null },
  } as TraceSettings;
}

function checkUrl(urls: Pick<UrlGate, 'check'>, url: string): void {
  try {
    urls.check(url);
  } catch (error) {
    if (error instanceof GateError)
      throw new ApiError('invalid_request', error.message, { param: 'webhook_url', cause: error });
    throw error;
  }
}
