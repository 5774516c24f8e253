import type { Principal } from '../../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../../foundation/access/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError, ERRORS } from '../../../foundation/platform/errors.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import type { Log } from '../../../foundation/platform/log.ts';
import { printableValue } from '../../../foundation/platform/printable.ts';
import { carrier } from '../../../media/wire/index.ts';
import {
  AsteriskStream,
  CarrierStream,
  exotelDialect,
  type MediaLeg,
  plivoDialect,
  type StreamDialect,
  type StreamListener,
  type StreamStart,
  telnyxDialect,
  vonageDialect,
} from '../../../telephony/carriers/index.ts';
import {
  type AgentOutcome,
  type AgentPart,
  type CallAgentDeps,
  CallMedia,
  type CarrierResume,
  callAgentOrder,
} from '../../../telephony/dialling/index.ts';
import type {
  AcceptedSocket,
  Socket,
  SocketHandler,
  SocketRequest,
  SocketRoute,
} from '../../server/surface.ts';
import { asteriskMessages, carrierStreamMessages, mediaStreamMessages } from './stream-routes.ts';

export interface AgentStreamDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly agents: CallAgentDeps;
}

const SCOPE = 'omni:session';
/** The listener closes with this code when the node drains. */
export const GOING_AWAY = 1001;
/** RFC 6455 reserves this code for a connection that ended without a close frame. */
export const ABNORMAL_CLOSURE = 1006;

interface StreamProtocol {
  readonly open: (socket: Socket, clock: Clock, listener: StreamListener) => SocketHandler & { end(): void };
  /** The URL carries what other protocols send as parameters of the stream. */
  readonly isConfiguredByQuery: boolean;
  /** The carrier names its call, and opens another stream for it where its document says so. */
  readonly isResumable?: boolean;
}

const TWILIO: StreamProtocol = {
  open: (socket, clock, listener) => new CarrierStream(socket, clock, listener),
  isConfiguredByQuery: false,
  isResumable: true,
};
const ASTERISK: StreamProtocol = {
  open: (socket, clock, listener) => new AsteriskStream(socket, clock, listener),
  isConfiguredByQuery: true,
};

/** These carriers have a protocol of their own, and their parameters may come in the URL as well. */
const CARRIERS: Readonly<Record<keyof typeof carrierStreamMessages, () => StreamDialect>> = {
  telnyx: telnyxDialect,
  plivo: plivoDialect,
  exotel: exotelDialect,
  vonage: vonageDialect,
};
const streamOf = (dialect: () => StreamDialect): StreamProtocol => ({
  open: (socket, clock, listener) => new CarrierStream(socket, clock, listener, dialect()),
  isConfiguredByQuery: true,
});

/** A customer points the media stream of their own carrier account, or of Asterisk, here, and an agent answers. */
export const agentStreamRoutes = (deps: AgentStreamDeps): SocketRoute[] => [
  {
    path: '/v1/telephony/streams/twilio',
    access: { kind: 'signed' },
    keyScope: SCOPE,
    maxFrameBytes: carrier.MAX_MESSAGE_BYTES,
    messages: {
      ...mediaStreamMessages(
        'Streams of your own carrier account',
        'Connects an agent to a media stream of your own carrier account. The stream parameters `agent_id` and `api_key` (or the query parameter `agent_id`, with the key in the WebSocket upgrade) select the agent and authenticate. `resume` with the value `only` continues a call of the same `callSid` that was interrupted less than 30 s ago, and never starts a new one; all other parameters become variables of the agent. Needs the scope omni:session.',
      ),
    },
    accept: (request) => accept(deps, TWILIO, request),
  },
  {
    path: '/v1/telephony/streams/asterisk',
    access: { kind: 'signed' },
    keyScope: SCOPE,
    maxFrameBytes: carrier.MAX_MESSAGE_BYTES,
    messages: asteriskMessages,
    accept: (request) => accept(deps, ASTERISK, request),
  },
  ...Object.entries(CARRIERS).map(([name, dialect]): SocketRoute => {
    const protocol = streamOf(dialect);
    return {
      path: `/v1/telephony/streams/${name}`,
      access: { kind: 'signed' },
      keyScope: SCOPE,
      maxFrameBytes: carrier.MAX_MESSAGE_BYTES,
      messages: carrierStreamMessages[name as keyof typeof CARRIERS],
      accept: (request) => accept(deps, protocol, request),
    };
  }),
];

function accept(deps: AgentStreamDeps, dialect: StreamProtocol, request: SocketRequest): AcceptedSocket {
  const query = Object.fromEntries(request.query);
  const parameters = dialect.isConfiguredByQuery
    ? query
    : { ...(query.agent_id && { agent_id: query.agent_id }) };
  const { identify } = request;
  return { open: (socket) => new CustomerStream(deps, dialect, socket, { parameters, identify }) };
}

interface UpgradeParameters {
  readonly parameters: Readonly<Record<string, string>>;
  readonly identify: SocketRequest['identify'];
}

class CustomerStream implements SocketHandler {
  readonly #deps: AgentStreamDeps;
  readonly #socket: Socket;
  readonly #begun: UpgradeParameters;
  readonly #isResumable: boolean;
  readonly #stream: ReturnType<StreamProtocol['open']>;
  #media: CallMedia | null = null;
  #part: AgentPart | null = null;
  #lost: 'client_gone' | 'draining' | null = null;
  #over = false;

  constructor(deps: AgentStreamDeps, dialect: StreamProtocol, socket: Socket, begun: UpgradeParameters) {
    this.#deps = deps;
    this.#socket = socket;
    this.#begun = begun;
    this.#isResumable = dialect.isResumable === true;
    this.#stream = dialect.open(socket, deps.clock, {
      started: (start, leg) => void this.#begin(start, leg),
      key: (digit) => this.#media?.key(digit),
      over: () => this.#end(),
    });
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    this.#stream.onMessage(data, isBinary);
  }

  onClosing(code: number): void {
    if (code === GOING_AWAY) this.#lost = 'draining';
  }

  onClosed(code: number): void {
    if (code === ABNORMAL_CLOSURE) this.#lost ??= 'client_gone';
    this.#stream.onClosed(code);
  }

  async #begin({ parameters, callSid }: StreamStart, leg: MediaLeg): Promise<void> {
    const media = new CallMedia(leg, this.#deps.clock);
    this.#media = media;
    try {
      const all = { ...this.#begun.parameters, ...parameters };
      const { api_key: key, agent_id: agentId, from = '', ...rest } = all;
      const { resume, ...variables } = this.#isResumable ? rest : { ...rest, resume: undefined };
      const principal = await this.#begun.identify(key);
      if (agentId === undefined)
        throw new ApiError('invalid_request', 'agent_id is required.', { param: 'agent_id' });
      if (await isAgentUnknown(this.#deps, principal, agentId))
        throw new ApiError('invalid_request', `There is no agent ${printableValue(agentId)}.`, {
          param: 'agent_id',
        });
      const part = await callAgentOrder(this.#deps.agents, {
        principal,
        agentId,
        telephonyCallId: callSid ?? newId('tcl'),
        direction: 'inbound',
        number: from,
        variables,
        ...(this.#isResumable ? resumeOf(callSid, resume) : {}),
        sendKeys: () => undefined,
        done: (outcome) => this.#done(outcome),
      });
      this.#part = part;
      if (this.#over) part.leave();
      else media.setHandler(part);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #done(outcome: AgentOutcome): void {
    if (outcome.kind === 'failed')
      this.#refuse(new ApiError(outcome.code, 'The agent could not be connected to the call.'));
    else this.#stream.end();
  }

  #refuse(error: unknown): void {
    const known =
      error instanceof ApiError ? error : new ApiError('internal_error', 'The stream could not be opened.');
    if (known !== error) this.#deps.log.error({ err: error }, 'a stream could not be opened');
    const { code, message, param, status } = known;
    if (!this.#over) {
      const errorEvent = { event: 'error', error: { message, type: ERRORS[code].type, code, param } };
      this.#socket.send(JSON.stringify(errorEvent));
      this.#socket.close(closeCodeOf(status), code);
    }
    this.#stream.end();
  }

  #end(): void {
    this.#over = true;
    if (this.#lost !== null) this.#part?.lost(this.#lost);
    this.#media?.setHandler(null);
  }
}

/** The stream begins no new call with `resume: only`. */
export function resumeOf(callSid: string | null, resume: string | undefined): { resume?: CarrierResume } {
  if (resume !== undefined && resume !== 'only')
    throw new ApiError('invalid_request', 'resume must be `only` or omitted.', { param: 'resume' });
  if (callSid !== null) return { resume: { key: callSid, only: resume === 'only' } };
  if (resume === undefined) return {};
  throw new ApiError('invalid_request', 'The carrier’s callSid is required to resume a call.', {
    param: 'callSid',
  });
}

export async function isAgentUnknown(
  { agents }: AgentStreamDeps,
  principal: Principal,
  agentId: string,
): Promise<boolean> {
  return (await agents.profiles.profileFor(tenantScopeOf(principal), agentId, agentId)) === null;
}

export function closeCodeOf(status: number): number {
  if (status === 401) return 4401;
  if (status === 403) return 4403;
  if (status === 402 || status === 429) return 4429;
  if (status === 503) return 1013;
  return status >= 500 ? 1011 : 1008;
}
