import { t } from '../i18n/index.ts';
import { get, type Json, sessionKey } from './api.ts';
import { SupervisorAudio } from './supervisor-audio.ts';

export type SupervisorMode = 'listen' | 'join' | 'take_over';

/** The levels are decibels below full scale. */
export interface CallLevels {
  readonly caller: number;
  readonly agent: number;
}

export interface SupervisionListener {
  levels(levels: CallLevels): void;
  over(why: string): void;
}

interface PendingCommand {
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

interface Kind {
  readonly path: string;
  readonly scope: string;
  readonly isLive: (callId: string) => Promise<boolean>;
}

const TELEPHONE: Kind = {
  path: '/v1/telephony/supervise',
  scope: 'telephony:supervise',
  isLive: async (callId) => (await get(`/v1/telephony/calls/${callId}`)).state === 'answered',
};
const OTHER: Kind = {
  path: '/v1/omni/supervise',
  scope: 'omni:supervise',
  isLive: async (callId) => (await get(`/v1/calls/${callId}`)).state !== 'ended',
};
const kindOf = (callId: string): Kind => (callId.startsWith('tcl_') ? TELEPHONE : OTHER);

/** Finds out why the server rejected the socket, because a browser does not expose that response. */
async function whyNot(callId: string): Promise<Error> {
  try {
    return new Error(
      (await kindOf(callId).isLive(callId))
        ? t('The call could not be joined: its server cannot be reached, or it has just ended.')
        : t('The call is over, or is not answered yet.'),
    );
  } catch (refused) {
    return refused as Error;
  }
}

async function socketTo(callId: string, denoise: boolean): Promise<WebSocket> {
  const { api_key, scopes } = await sessionKey();
  const { path, scope } = kindOf(callId);
  if (!scopes.includes(scope))
    throw new Error(t('Your role may not supervise calls: a developer, admin or owner may.'));
  const address = new URL(path, location.href);
  address.protocol = address.protocol.replace('http', 'ws');
  const query = { call_id: callId, mode: 'listen', levels: 'true', denoise: String(denoise) };
  address.search = new URLSearchParams(query).toString();
  const socket = new WebSocket(address, ['svc.v1', `svc-key.${api_key}`]);
  socket.binaryType = 'arraybuffer';
  return socket;
}

export class Supervision {
  readonly #callId: string;
  readonly #socket: WebSocket;
  readonly #line: SupervisorAudio;
  readonly #listener: SupervisionListener;
  readonly #asked: PendingCommand[] = [];
  /** Is false where the caller's noise stays in: nobody asked for less, or the server had no capacity. */
  readonly isDenoised: boolean;
  #entered = false;
  #over = false;

  private constructor(
    callId: string,
    socket: WebSocket,
    line: SupervisorAudio,
    listener: SupervisionListener,
    isDenoised: boolean,
  ) {
    this.isDenoised = isDenoised;
    this.#callId = callId;
    this.#socket = socket;
    this.#line = line;
    this.#listener = listener;
  }

  static async begin(
    callId: string,
    listener: SupervisionListener,
    { denoise }: { readonly denoise: boolean },
  ): Promise<Supervision> {
    const socket = await socketTo(callId, denoise);
    let one: Supervision | null = null;
    const entering = new Promise<{ rate: number; isDenoised: boolean }>((done, failed) => {
      socket.onclose = () => void whyNot(callId).then(failed);
      socket.onmessage = ({ data }) => {
        const { event, error, rate, denoised }: Json = typeof data === 'string' ? JSON.parse(data) : {};
        if (event === 'supervising') done({ rate, isDenoised: denoised === true });
        else if (event === 'error') failed(new Error(error.message));
      };
    });
    const { rate, isDenoised } = await entering;
    const line = await SupervisorAudio.open(rate, (pcm) => one?.say(pcm)).catch((error: Error) => {
      socket.close();
      throw error;
    });
    one = new Supervision(callId, socket, line, listener, isDenoised);
    one.#enter();
    return one;
  }

  #enter(): void {
    this.#entered = true;
    this.#socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.#hear(JSON.parse(data) as Json);
      else this.#line.play(data as ArrayBuffer);
    };
    this.#socket.onclose = () => this.#end(t('The connection to the call was lost.'));
    if (this.#socket.readyState !== WebSocket.OPEN) this.#end(t('The call is over.'));
  }

  #hear({ event, error, caller, agent }: Json): void {
    if (event === 'levels') this.#listener.levels({ caller, agent });
    else if (event === 'ended') this.#end(t('The call is over.'));
    else if (event === 'error') this.#asked.shift()?.failed(new Error(error.message));
    else if (event === 'mode' || event === 'whispered') this.#asked.shift()?.done();
  }

  #ask(message: object): Promise<void> {
    if (this.#over) return whyNot(this.#callId).then((error) => Promise.reject(error));
    this.#socket.send(JSON.stringify(message));
    return new Promise((done, failed) => {
      this.#asked.push({ done, failed });
    });
  }

  /** Requests the microphone before the mode changes, so that a supervisor who takes over is never mute. */
  async mode(mode: SupervisorMode): Promise<void> {
    const speaks = mode !== 'listen';
    if (speaks) await this.#line.speak(true).catch(() => Promise.reject(noMicrophone()));
    await this.#ask({ type: 'mode', mode }).catch(async (error: Error) => {
      await this.#line.speak(false);
      throw error;
    });
    if (!speaks) await this.#line.speak(false);
  }

  whisper(text: string): Promise<void> {
    return this.#ask({ type: 'whisper', text });
  }

  hangUp(): void {
    this.#socket.send(JSON.stringify({ type: 'hang_up' }));
  }

  say(pcm: ArrayBuffer): void {
    if (this.#entered && this.#socket.readyState === WebSocket.OPEN) this.#socket.send(pcm);
  }

  /** Closing the socket returns a call that the supervisor took over to its agent. */
  leave(): void {
    this.#over = true;
    this.#socket.onclose = null;
    this.#socket.close();
    this.#line.close();
  }

  #end(why: string): void {
    if (this.#over) return;
    this.leave();
    for (const { failed } of this.#asked.splice(0)) failed(new Error(why));
    this.#listener.over(why);
  }
}

const noMicrophone = (): Error =>
  new Error(t('The microphone is not allowed: allow it for this page, or nobody hears you.'));
