import type { ProfileSource } from '../../conversation/agents/index.ts';
import {
  type LaneReservation,
  type LiveCallDeps,
  labelOfVersion,
  notResumable,
} from '../../conversation/calls/index.ts';
import type { AccessControl, Principal, TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../foundation/access/index.ts';
import { AgentMediaHandler, type AgentOutcome, type SessionPart } from './agent-media-handler.ts';
import { filled, MOST_FILLED, variablesOf } from './variables.ts';

export interface CallAgentDeps {
  readonly access: Pick<AccessControl, 'admit'>;
  readonly live: LiveCallDeps;
  readonly profiles: ProfileSource;
}

/** A carrier that lost its connection opens another one, to any node, for the same call. */
export interface CarrierResume {
  /** The carrier's id of the call. */
  readonly key: string;
  /** No new call begins where none can be resumed. */
  readonly only: boolean;
}

export interface AgentCall {
  readonly principal: Principal;
  readonly agentId: string | null;
  /** The version that had an earlier session of the call; absent in the first. */
  readonly agentVersion?: number;
  /**
   * The call to which the session belongs, and the session's id. The session is a call of its own when this is
   * absent.
   */
  readonly part?: SessionPart;
  /** The agent takes a free lane when this is absent. */
  readonly lane?: LaneReservation;
  readonly telephonyCallId: string;
  readonly direction: 'inbound' | 'outbound';
  readonly number: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly consentLine?: string;
  readonly greeting?: string;
  readonly listens?: boolean;
  readonly resume?: CarrierResume;
  /** The id of a session that was suspended for its caller. */
  readonly suspended?: string;
  readonly context?: () => string | null;
  readonly sendKeys: (digits: string) => void;
  readonly begun?: () => void;
  readonly done: (outcome: AgentOutcome) => void;
}

export async function callAgentOrder(
  { access, live, profiles }: CallAgentDeps,
  call: AgentCall,
): Promise<AgentMediaHandler> {
  const { principal, agentId, agentVersion, number, direction, sendKeys, begun, done } = call;
  const variables = variablesOf(call.variables);
  const scope = tenantScopeOf(principal);
  const admission = await access.admit(principal, 'omni.call', { realtime: true });
  try {
    const resumeKey = call.resume === undefined ? undefined : `${agentId} ${call.resume.key}`;
    const resumes =
      call.suspended === undefined
        ? await resumed(live, scope, resumeKey)
        : ((await live.checkpoints?.claimSuspended(scope, call.suspended)) ?? null);
    if (resumes === null && (call.suspended !== undefined || call.resume?.only === true))
      throw notResumable();
    const meta = {
      ...variables,
      external_id: number,
      phone_number: number,
      direction,
      telephony_call_id: call.telephonyCallId,
    };
    const fill = (text: string, of: keyof typeof MOST_FILLED) =>
      filled(text, { ...variables, phone_number: number }, MOST_FILLED[of]);
    const configuration: Record<string, unknown> = { meta };
    const part: AgentMediaHandler = new AgentMediaHandler(live, {
      principal,
      admission,
      agentId,
      ...(agentVersion === undefined ? {} : { agentVersion }),
      ...(call.part === undefined ? {} : { part: call.part }),
      ...(call.lane === undefined ? {} : { lane: call.lane }),
      sendKeys,
      ...(call.listens === true ? { listens: true } : {}),
      ...(call.context === undefined ? {} : { context: call.context }),
      ...(begun === undefined ? {} : { begun }),
      ...(resumeKey === undefined ? {} : { resumeKey }),
      ...(resumes === null ? {} : { resumes }),
      done,
      configuration,
    });
    if (resumes !== null) return part;
    const profile = await profiles.profileFor(scope, labelOfVersion(agentId, agentVersion), part.callId);
    const { persona = '', greeting = '', consent_line = '' } = profile?.fields ?? {};
    configuration.persona = fill(persona, 'persona');
    configuration.greeting = call.listens === true ? '' : (call.greeting ?? fill(greeting, 'greeting'));
    const consent = fill(call.consentLine || consent_line, 'consent_line');
    configuration.consent_line = call.listens === true ? '' : consent;
    return part;
  } catch (error) {
    await admission.release();
    throw error;
  }
}

const resumed = async ({ checkpoints }: LiveCallDeps, scope: TenantScope, key: string | undefined) =>
  key === undefined || checkpoints === undefined ? null : await checkpoints.claimByKey(scope, key);
