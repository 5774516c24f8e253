import { type Principal, type TenantScope, tenantScopeOf } from '../access/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { LiveFeed } from './live-feed.ts';

interface OngoingCall {
  readonly scope: TenantScope;
  readonly begun: Readonly<Record<string, unknown>>;
}

export interface StartedCall {
  readonly callId: string;
  readonly principal: Pick<Principal, 'orgId' | 'projectId' | 'environment'>;
  readonly agentId: string | null;
  readonly sessionLabel: string | null;
  readonly language: string;
}

export class LiveCalls {
  readonly #feed: LiveFeed;
  readonly #clock: Clock;
  readonly #calls = new Map<string, OngoingCall>();

  constructor(feed: LiveFeed, clock: Clock) {
    this.#feed = feed;
    this.#clock = clock;
    feed.onSubscriber(({ org, project, environment }) => {
      for (const { scope, begun } of this.#calls.values()) {
        if (scope.org === org && scope.project === project && scope.environment === environment)
          feed.publish(scope, 'call.began', begun);
      }
    });
  }

  begin(call: StartedCall) {
    const scope = tenantScopeOf(call.principal);
    const { callId } = call;
    const begun = {
      call_id: callId,
      agent_id: call.agentId,
      session_label: call.sessionLabel,
      language: call.language,
      started_at: this.#clock.now(),
    };
    this.#calls.set(callId, { scope, begun });
    this.#feed.publish(scope, 'call.began', begun);
    const notify = (type: string, data: Record<string, unknown>) =>
      this.#feed.publish(scope, type, { call_id: callId, ...data });
    return {
      said: (role: 'user' | 'agent', turnId: number, text: string, final: boolean) =>
        notify('call.said', { role, turn_id: turnId, text, final }),
      speech: (kind: 'started' | 'stopped') => notify('call.speech', { kind }),
      turn: (turnId: number, latency: object) =>
        notify('call.turn', { turn_id: turnId, latency_ms: latency }),
      over: (reason: string) => {
        if (this.#calls.delete(callId)) notify('call.over', { reason });
      },
    };
  }
}
