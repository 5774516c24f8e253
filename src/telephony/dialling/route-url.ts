import { type Static, Type } from 'typebox';
import Value from 'typebox/value';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Log } from '../../foundation/platform/log.ts';
import type { UrlGate } from '../../foundation/platform/url-gate/index.ts';
import type { DialLimiter } from './dial-limiter.ts';

export interface RouteRequest {
  readonly event: 'telephony.call.incoming';
  readonly call_id: string;
  readonly number_id: string;
  readonly from: string;
  readonly to: string;
}

const Answer = Type.Union([
  Type.Object({
    action: Type.Literal('agent'),
    agent_id: Type.Optional(Type.String({ pattern: '^agt_[0-9A-Za-z]{20}$' })),
    variables: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }), Type.String({ maxLength: 500 }), {
        maxProperties: 50,
      }),
    ),
  }),
  Type.Object({ action: Type.Literal('forward'), to: Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$' }) }),
  Type.Object({
    action: Type.Literal('message'),
    text: Type.String({ minLength: 1, maxLength: 1000 }),
  }),
  Type.Object({ action: Type.Literal('voicemail') }),
  Type.Object({ action: Type.Literal('reject') }),
]);
export type RouteAnswer = Static<typeof Answer>;

/** Resolves to null when the URL gave no valid answer in time. Never rejects. */
export type RequestRoute = (
  scope: TenantScope,
  url: string,
  question: RouteRequest,
) => Promise<RouteAnswer | null>;

export interface RouteRequesterDeps {
  readonly gate: Pick<UrlGate, 'fetch'>;
  readonly guards: Pick<DialLimiter, 'checkTarget'>;
  readonly hasAgent: (scope: TenantScope, agentId: string) => Promise<boolean>;
  readonly log: Log;
}

/** The timeout is short, because the caller hears it ring meanwhile. */
const TIMEOUT_MS = 3_000;
const MOST_BYTES = 64 * 1024;

export const routeRequester =
  ({ gate, guards, hasAgent, log }: RouteRequesterDeps): RequestRoute =>
  async (scope, url, question) => {
    try {
      const response = await gate.fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(question),
        maxBytes: MOST_BYTES,
        timeoutMs: TIMEOUT_MS,
      });
      const body = Buffer.concat(await response.body.toArray()).toString();
      if (response.status !== 200) throw new Error(`it responded with status ${response.status}`);
      const answer: unknown = JSON.parse(body);
      if (!Value.Check(Answer, answer)) throw new Error('its response has no action');
      if (answer.action === 'forward') guards.checkTarget(answer.to);
      const agentId = answer.action === 'agent' ? answer.agent_id : undefined;
      if (agentId !== undefined && !(await hasAgent(scope, agentId)))
        throw new Error('there is no such agent, or none of its versions is published');
      return answer;
    } catch (error) {
      log.warn(
        { err: error, call: question.call_id },
        'the routing URL of a number returned no usable response',
      );
      return null;
    }
  };
