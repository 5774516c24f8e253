import { type Static, Type } from 'typebox';
import Value from 'typebox/value';
import type { TenantScope } from '../../../foundation/access/contract.ts';
import { auditActorOf, tenantScopeOf } from '../../../foundation/access/index.ts';
import type { AuditActor } from '../../../foundation/audit/contract.ts';
import { ApiError, ERRORS } from '../../../foundation/platform/errors.ts';
import type { Log } from '../../../foundation/platform/log.ts';
import { printableValue } from '../../../foundation/platform/printable.ts';
import {
  SILENCE,
  SUPERVISIONS,
  type SupervisedCall,
  type SupervisionMode,
  type Supervisor,
  type Supervisors,
  TAKEN_OVER_AGENTS,
  type TakenOverAgent,
} from '../../../telephony/dialling/index.ts';
import {
  type AcceptedSocket,
  isRelayed,
  relayTo,
  type Socket,
  type SocketHandler,
  type SocketRequest,
  type SocketRoute,
} from '../../server/surface.ts';

export interface FoundCall {
  /** It is null where another node has the call, or none. */
  readonly call: SupervisedCall | null;
  /** Resolves with the address of the other node that has the call; null when no node has it, or it cannot be reached. */
  node(): Promise<string | null>;
}

export interface CallsToSupervise {
  /** Resolves with null where the tenant has no such call. */
  find(scope: TenantScope, callId: string): Promise<FoundCall | null>;
}

export interface SuperviseDeps {
  readonly log: Log;
  readonly supervisors: Supervisors;
  readonly calls: CallsToSupervise;
}

/** The sockets of telephone calls and of other calls differ in these. */
export interface SuperviseRouteKind {
  readonly path: string;
  readonly scope: string;
  readonly title: string;
  readonly prefix: string;
  readonly sound: string;
  readonly ends: string;
  /** The limit of a frame, and of the backlog of a slow reader. */
  readonly maxFrameBytes: number;
}

const MAX_PENDING_COMMANDS = 20;

const Mode = Type.Enum([...SUPERVISIONS]);
const closed = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });
const Agent = Type.Enum([...TAKEN_OVER_AGENTS], {
  description:
    'With `take_over`: the agent `leaves` the call, or `listens` silently so that its transcript includes the conversation.',
});
const ModeMessage = closed({ type: Type.Literal('mode'), mode: Mode, agent: Type.Optional(Agent) });
const WhisperMessage = closed({
  type: Type.Literal('whisper'),
  text: Type.String({ minLength: 1, maxLength: 1000, examples: ['Offer Tuesday at ten.'] }),
});
const HangUpMessage = closed({ type: Type.Literal('hang_up') });
const ClientMessage = Type.Union([ModeMessage, WhisperMessage, HangUpMessage]);
type ClientMessage = Static<typeof ClientMessage>;

const Supervising = Type.Object({
  event: Type.Literal('supervising'),
  call_id: Type.String(),
  mode: Mode,
  encoding: Type.Literal('pcm16'),
  rate: Type.Integer({ description: 'Samples per second; 8000 on a telephone call.', examples: [8000] }),
  denoised: Type.Optional(
    Type.Boolean({
      description:
        'Present if you sent `denoise=true`. It is false if the server has no capacity for it; the audio then has the noise.',
    }),
  ),
});
const ModeChanged = Type.Object({ event: Type.Literal('mode'), mode: Mode });
const Level = Type.Integer({
  minimum: SILENCE,
  maximum: 0,
  description: 'Decibels below full scale; -90 is silence.',
});
const Levels = Type.Object({ event: Type.Literal('levels'), caller: Level, agent: Level });
const Whispered = Type.Object({ event: Type.Literal('whispered') });
const Ended = Type.Object({ event: Type.Literal('ended') });
const Failed = Type.Object({
  event: Type.Literal('error'),
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    code: Type.String(),
    param: Type.Union([Type.String(), Type.Null()]),
  }),
});

const queryOf = (calls: string) =>
  Type.Object({
    call_id: Type.String({ description: calls }),
    mode: Type.Optional(Mode),
    agent: Type.Optional(Agent),
    denoise: Type.Optional(
      Type.Boolean({
        description:
          '`true` takes the noise of the line out of the audio that you hear, which then comes up to 70 ms later. Only you hear the difference.',
      }),
    ),
    levels: Type.Optional(
      Type.Boolean({ description: '`true` sends the audio level of each side before mixing.' }),
    ),
  });

export const superviseRoute = (deps: SuperviseDeps, kind: SuperviseRouteKind): SocketRoute => ({
  path: kind.path,
  access: { kind: 'key', scope: kind.scope },
  maxFrameBytes: kind.maxFrameBytes,
  messages: {
    title: kind.title,
    summary: 'Listen to a live call of an agent, whisper to the agent, join the call, or take it over.',
    description:
      '`call_id` selects the call. The `mode` defaults to `listen`: you hear all parties. `whisper`: only the person who handles the call hears you; an agent receives whispers as text. `join`: all parties hear you. `take_over`: the caller hears you instead of the agent, which resumes when you switch to another mode or close the socket. ' +
      `${kind.ends} ${kind.sound} The audit log records every step.`,
    query: queryOf(kind.prefix),
    client: [
      { name: 'audio', summary: 'Your audio', contentType: 'application/octet-stream' },
      { name: 'mode', summary: 'Change the mode', schema: ModeMessage },
      {
        name: 'whisper',
        summary: 'Send the agent a text that applies from its next words; the caller does not hear it',
        schema: WhisperMessage,
      },
      { name: 'hang_up', summary: 'End the call', schema: HangUpMessage },
    ],
    server: [
      { name: 'audio', summary: 'Mixed audio of the other parties', contentType: 'application/octet-stream' },
      { name: 'supervising', summary: 'Sent when you have joined the call', schema: Supervising },
      { name: 'mode', summary: 'Sent when the mode has changed', schema: ModeChanged },
      {
        name: 'levels',
        summary: 'The audio level of both sides, sent ten times a second if requested',
        schema: Levels,
      },
      { name: 'whispered', summary: 'Sent when the agent has received the whisper', schema: Whispered },
      {
        name: 'error',
        summary: 'Sent when a message could not be processed; nothing was changed',
        schema: Failed,
      },
      { name: 'ended', summary: 'Sent when the call has ended, before the socket closes', schema: Ended },
    ],
  },
  accept: (request) => accept(deps, kind, request),
});

async function accept(
  deps: SuperviseDeps,
  kind: SuperviseRouteKind,
  request: SocketRequest,
): Promise<AcceptedSocket> {
  const { principal, query, remoteAddress, requestId } = request;
  const id = query.get('call_id') ?? '';
  const mode = query.get('mode') ?? 'listen';
  if (id === '') throw new ApiError('invalid_request', 'call_id is required.', { param: 'call_id' });
  if (!Value.Check(Mode, mode))
    throw new ApiError('invalid_request', `mode must be one of ${SUPERVISIONS.join(', ')}.`, {
      param: 'mode',
    });
  const agent = query.get('agent') ?? undefined;
  if (agent !== undefined) checkAgent(mode, agent);
  const caller = principal!;
  const found = await deps.calls.find(tenantScopeOf(caller), id);
  if (found === null)
    throw new ApiError('not_found', `There is no call ${printableValue(id)}.`, { param: 'call_id' });
  const { call } = found;
  const node = call === null && !isRelayed(request) ? await found.node() : null;
  if (node !== null) return relayTo(node, request);
  if (call === null || call.media === null)
    throw new ApiError(
      'call_not_live',
      'The call is not live on this server: it was not answered, or has ended.',
      {
        param: 'call_id',
      },
    );
  const order = {
    maxBufferedBytes: kind.maxFrameBytes,
    call,
    mode,
    ...(agent === undefined ? {} : { agent: agent as TakenOverAgent }),
    levels: query.get('levels') === 'true',
    isDenoised: query.get('denoise') === 'true',
    by: auditActorOf(caller, remoteAddress, requestId),
  };
  return { open: (socket) => new SupervisorSession(deps, socket, order) };
}

function checkAgent(mode: SupervisionMode, agent: string): void {
  if (!Value.Check(Agent, agent))
    throw new ApiError('invalid_request', `agent must be one of ${TAKEN_OVER_AGENTS.join(', ')}.`, {
      param: 'agent',
    });
  if (mode !== 'take_over')
    throw new ApiError('invalid_request', 'agent is only allowed with the mode take_over.', {
      param: 'agent',
    });
}

interface SuperviseRequest {
  readonly maxBufferedBytes: number;
  readonly call: SupervisedCall;
  readonly mode: SupervisionMode;
  readonly agent?: TakenOverAgent;
  readonly levels: boolean;
  readonly isDenoised: boolean;
  readonly by: AuditActor;
}

/** Commands run in the order of their arrival. */
class SupervisorSession implements SocketHandler {
  readonly #deps: SuperviseDeps;
  readonly #socket: Socket;
  #supervisor: Supervisor | null = null;
  #done: Promise<void>;
  #waiting = 0;
  #over = false;

  constructor(deps: SuperviseDeps, socket: Socket, order: SuperviseRequest) {
    this.#deps = deps;
    this.#socket = socket;
    this.#done = this.#begin(order);
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    if (isBinary) this.#audio(data);
    else this.#asked(Buffer.from(data).toString());
  }

  onClosed(): void {
    this.#over = true;
    this.#supervisor?.leave();
  }

  #audio(data: Uint8Array): void {
    if (data.length % 2 === 1)
      this.#fault(
        new ApiError(
          'invalid_request',
          'Audio must be whole 16-bit samples; the frame has an odd number of bytes.',
        ),
      );
    else this.#supervisor?.say(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  }

  #asked(text: string): void {
    const message = messageOf(text);
    if (message === null) {
      this.#fault(
        new ApiError('invalid_request', 'The message must have a mode, a whisper or hang_up.', {
          param: 'type',
        }),
      );
    } else if (this.#waiting >= MAX_PENDING_COMMANDS) {
      this.#close(1008, 'too many messages at once');
    } else {
      this.#waiting += 1;
      this.#done = this.#done
        .then(() => this.#do(message))
        .catch((error: unknown) => this.#fault(error))
        .finally(() => {
          this.#waiting -= 1;
        });
    }
  }

  async #begin({
    maxBufferedBytes,
    call,
    mode,
    agent,
    levels,
    isDenoised,
    by,
  }: SuperviseRequest): Promise<void> {
    try {
      const outlet = {
        isDenoised,
        audio: (pcm: Uint8Array) => {
          if (!this.#over && this.#socket.bufferedBytes < maxBufferedBytes) this.#socket.send(pcm);
        },
        ...(levels ? { levels: (both: object) => this.#notify({ event: 'levels', ...both }) } : {}),
        ended: () => {
          this.#notify({ event: 'ended' });
          this.#close(1000, 'the call has ended');
        },
      };
      const supervisor = await this.#deps.supervisors.begin(call, mode, by, outlet, agent);
      this.#supervisor = supervisor;
      if (this.#over) supervisor.leave();
      const said = { call_id: call.id, mode: supervisor.mode, encoding: 'pcm16', rate: supervisor.rate };
      const denoised = isDenoised ? { denoised: supervisor.isDenoised } : {};
      this.#notify({ event: 'supervising', ...said, ...denoised });
    } catch (error) {
      this.#fault(error);
      this.#close(1008, error instanceof ApiError ? error.code : 'internal_error');
    }
  }

  async #do(message: ClientMessage): Promise<void> {
    const supervisor = this.#supervisor;
    if (supervisor === null || this.#over) return;
    if (message.type === 'hang_up') await supervisor.hangUp();
    else if (message.type === 'mode') {
      if (message.agent !== undefined) checkAgent(message.mode, message.agent);
      await supervisor.change(message.mode, message.agent);
      this.#notify({ event: 'mode', mode: supervisor.mode });
    } else {
      await supervisor.whisper(message.text);
      this.#notify({ event: 'whispered' });
    }
  }

  #fault(error: unknown): void {
    const known =
      error instanceof ApiError
        ? error
        : new ApiError('internal_error', 'The server failed to carry out this message.');
    if (known !== error) this.#deps.log.error({ err: error }, 'a message of a supervisor failed');
    const { code, message, param } = known;
    this.#notify({ event: 'error', error: { message, type: ERRORS[code].type, code, param: param ?? null } });
  }

  #notify(message: object): void {
    if (!this.#over) this.#socket.send(JSON.stringify(message));
  }

  #close(code: number, reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#socket.close(code, reason);
    this.#supervisor?.leave();
  }
}

function messageOf(text: string): ClientMessage | null {
  try {
    const message: unknown = JSON.parse(text);
    return Value.Check(ClientMessage, message) ? message : null;
  } catch {
    return null;
  }
}
