import type { TenantScope } from '../../foundation/access/contract.ts';
import type { CallTransport } from './contract.ts';
import type { CallRate } from './voice-engine.ts';

/** Gets the audio of both sides, which then hear only what the bridge passes on with `toCaller` and `toAgent`. */
export interface CallBridge {
  fromCaller(audio: Uint8Array): void;
  fromAgent(audio: Uint8Array): void;
  /** The caller has interrupted the agent, whose queued audio must not be played. */
  interrupted(): void;
}

/** A live call that begins with its own session, as its supervisors see it. */
export interface SupervisableCall {
  readonly id: string;
  readonly scope: TenantScope;
  readonly rate: CallRate;
  readonly codec: 'pcm16' | 'ulaw';
  /** Null connects the two sides directly again. */
  bridge(by: CallBridge | null): void;
  toCaller(audio: Uint8Array): void;
  toAgent(audio: Uint8Array): void;
  /** The text is for the agent's next words. Returns false when the call is over. */
  injectContext(text: string): boolean;
  /** A muted agent writes down what is said, and says nothing. */
  mute(on: boolean): void;
  /** The agent takes the turn, unless its flow decides what it says. */
  respond(instructions: string): void;
  hangUp(): void;
  whenOver(then: () => void): void;
}

/** The live calls of this node that supervisors may hear. A telephone call of many sessions is supervised by its leg. */
export class SupervisableCalls {
  readonly #calls = new Map<string, SupervisableCall>();

  add(call: SupervisableCall): void {
    this.#calls.set(call.id, call);
    call.whenOver(() => {
      if (this.#calls.get(call.id) === call) this.#calls.delete(call.id);
    });
  }

  find(scope: TenantScope, id: string): SupervisableCall | null {
    const call = this.#calls.get(id);
    if (call === undefined) return null;
    const { org, project, environment } = call.scope;
    const isOwn = org === scope.org && project === scope.project && environment === scope.environment;
    return isOwn ? call : null;
  }
}

/** Connects the call's transport with the agent's lane, directly or over a bridge. */
export class CallAudioPath {
  readonly #transport: Pick<CallTransport, 'audio' | 'bridged'>;
  readonly #lane: (audio: Uint8Array) => void;
  #bridge: CallBridge | null = null;

  constructor(transport: Pick<CallTransport, 'audio' | 'bridged'>, lane: (audio: Uint8Array) => void) {
    this.#transport = transport;
    this.#lane = lane;
  }

  bridge(by: CallBridge | null): void {
    this.#bridge = by;
    this.#transport.bridged?.(by !== null);
  }

  fromCaller(audio: Uint8Array): void {
    if (this.#bridge === null) this.#lane(audio);
    else this.#bridge.fromCaller(audio);
  }

  fromAgent(audio: Uint8Array): void {
    if (this.#bridge === null) this.#transport.audio(audio);
    else this.#bridge.fromAgent(audio);
  }

  interrupted(): void {
    this.#bridge?.interrupted();
  }

  toCaller(audio: Uint8Array): void {
    this.#transport.audio(audio);
  }

  toAgent(audio: Uint8Array): void {
    this.#lane(audio);
  }
}
