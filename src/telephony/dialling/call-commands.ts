import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { AuditActor } from '../../foundation/audit/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError, type ErrorCode } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import type { TelephonyCallRow } from '../../foundation/storage/tables/telephony.ts';
import type { CallEnding } from './contract.ts';
import type { LivePhoneCalls } from './live-phone-calls.ts';
import type { PhoneCall } from './phone-call.ts';
import type { TransferOrder, Transfers } from './transfers.ts';

export type CallCommand =
  | { readonly kind: 'hang_up'; readonly ending: CallEnding }
  | { readonly kind: 'keys'; readonly digits: string }
  | { readonly kind: 'transfer'; readonly order: TransferOrder }
  | { readonly kind: 'whisper'; readonly text: string; readonly by: AuditActor };

export interface CallCommandsDeps {
  readonly storage: Pick<Storage, 'notify' | 'listen' | 'nodeId'>;
  readonly clock: Clock;
  readonly ownerOf: (scope: TenantScope, callId: string | null) => Promise<string | null>;
  readonly phones: Pick<LivePhoneCalls, 'find' | 'cancelExpected'>;
  readonly transfers: Pick<Transfers, 'transfer'>;
  readonly supervisors: { whisper(call: PhoneCall, text: string, by: AuditActor): Promise<void> };
  readonly onError: (error: unknown) => void;
}

interface CommandMessage {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly scope: TenantScope;
  readonly callId: string;
  readonly command: CallCommand;
}

interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly param?: string;
}

interface AnswerMessage {
  readonly id: string;
  readonly to: string;
  readonly refusal: Refusal | null;
}

const COMMANDS = 'telephony-call-commands';
const ANSWERS = 'telephony-call-answers';
const ANSWER_WITHIN_MS = 15_000;

/** Runs commands on live calls. A request arrives at any node; the node that owns the call executes it. */
export class CallCommands {
  readonly #deps: CallCommandsDeps;
  readonly #waiting = new Map<string, (refusal: Refusal | null) => void>();
  readonly #stop: readonly (() => void)[];

  constructor(deps: CallCommandsDeps) {
    this.#deps = deps;
    const { storage, onError } = deps;
    this.#stop = [
      storage.listen(COMMANDS, { onMessage: (text) => void this.#asked(unpacked(text)).catch(onError) }),
      storage.listen(ANSWERS, { onMessage: (text) => this.#answered(unpacked(text)) }),
    ];
  }

  async run(scope: TenantScope, row: TelephonyCallRow, command: CallCommand): Promise<void> {
    const { storage, ownerOf } = this.#deps;
    if (await this.#doHere(scope, row.id, command)) return;
    const owner = row.state === 'ended' ? null : await ownerOf(scope, row.call_id);
    if (owner === null || owner === storage.nodeId) throw callNotLive();
    await this.#ask({ id: newId('req'), to: owner, from: storage.nodeId, scope, callId: row.id, command });
  }

  stop(): void {
    for (const stop of this.#stop) stop();
  }

  async #ask(message: CommandMessage): Promise<void> {
    const { storage, clock } = this.#deps;
    const answer = new Promise<Refusal | null>((resolve, reject) => {
      const cancel = clock.after(ANSWER_WITHIN_MS, () => {
        this.#waiting.delete(message.id);
        reject(
          new ApiError('unavailable', 'The node that handles the call did not respond in time; try again.'),
        );
      });
      this.#waiting.set(message.id, (refusal) => {
        cancel();
        this.#waiting.delete(message.id);
        resolve(refusal);
      });
    });
    await Promise.all([storage.notify(COMMANDS, packed(message)), answer]);
    const refusal = await answer;
    if (refusal !== null)
      throw new ApiError(refusal.code, refusal.message, {
        ...(refusal.param === undefined ? {} : { param: refusal.param }),
      });
  }

  async #asked({ id, to, from, scope, callId, command }: CommandMessage): Promise<void> {
    const { storage } = this.#deps;
    if (to !== storage.nodeId) return;
    let refusal: Refusal | null = null;
    try {
      if (!(await this.#doHere(scope, callId, command))) throw callNotLive();
    } catch (error) {
      if (!(error instanceof ApiError)) this.#deps.onError(error);
      refusal = refusalOf(error);
    }
    const answer: AnswerMessage = { id, to: from, refusal };
    await storage.notify(ANSWERS, packed(answer));
  }

  #answered({ id, to, refusal }: AnswerMessage): void {
    if (to === this.#deps.storage.nodeId) this.#waiting.get(id)?.(refusal);
  }

  /** Returns false where the call is not on this node. A call that this node is about to dial can be hung up. */
  async #doHere(scope: TenantScope, id: string, command: CallCommand): Promise<boolean> {
    const { phones } = this.#deps;
    const call = phones.find(id);
    if (call !== null) await this.#do(scope, call, command);
    return call !== null || (command.kind === 'hang_up' && phones.cancelExpected(id, command.ending));
  }

  async #do(scope: TenantScope, call: PhoneCall, command: CallCommand): Promise<void> {
    const { transfers, supervisors } = this.#deps;
    switch (command.kind) {
      case 'hang_up':
        call.end(command.ending);
        return await call.scribe.written;
      case 'keys':
        if (call.media === null) throw callNotLive();
        return await (await call.leg)?.sendKeys(command.digits);
      case 'transfer':
        return await transfers.transfer(scope, call, command.order);
      case 'whisper':
        return await supervisors.whisper(call, command.text, command.by);
    }
  }
}

/** The compression fits a text of some thousand characters into a message between nodes. */
const packed = (message: CommandMessage | AnswerMessage): string =>
  deflateRawSync(JSON.stringify(message)).toString('base64');

const unpacked = <Message>(text: string): Message =>
  JSON.parse(inflateRawSync(Buffer.from(text, 'base64')).toString()) as Message;

const refusalOf = (error: unknown): Refusal =>
  error instanceof ApiError
    ? {
        code: error.code,
        message: error.message,
        ...(error.param === undefined || error.param === null ? {} : { param: error.param }),
      }
    : { code: 'internal_error', message: 'The request could not be carried out on the call.' };

export const callNotLive = (): ApiError =>
  new ApiError('call_not_live', 'The call is not live: it has not been answered yet, or it has ended.', {
    param: 'call_id',
  });
