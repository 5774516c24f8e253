import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { Log } from '../../foundation/platform/log.ts';
import { silence, tone } from '../carriers/index.ts';
import type { SpeakLine } from './agent-call-flow.ts';
import type { CallMedia } from './call-media.ts';
import type { CallEnding } from './contract.ts';
import type { NumberSettings } from './number-settings.ts';
import type { PhoneCall } from './phone-call.ts';
import { phrasesOf } from './phrases.ts';
import { PlaybackMediaHandler } from './playback-media-handler.ts';
import type { VoicemailIntake } from './voicemail-intake.ts';
import { VoicemailMediaHandler } from './voicemail-media-handler.ts';

export interface VoicemailAnsweringDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly speak: SpeakLine;
  readonly languageOf: (scope: TenantScope, agentId: string | null, callId: string) => Promise<string | null>;
  readonly messages: VoicemailIntake;
}

export interface VoicemailAnsweringOrder {
  readonly agentId: string | null;
  readonly settings: NumberSettings['voicemail'];
}

const MAX_DURATION_S = 120;
const SILENCE_S = 5;
/** The beep is shorter than the least speech, so that its echo is no message. */
const BEEP = { hertz: [1000], ms: 250 } as const;
const BEFORE_BEEP_MS = 300;
const LEFT: CallEnding = { reason: 'completed', detail: 'a message was left' };
const NONE: CallEnding = { reason: 'completed', detail: 'no message was left' };

export class VoicemailAnswering {
  readonly #deps: VoicemailAnsweringDeps;

  constructor(deps: VoicemailAnsweringDeps) {
    this.#deps = deps;
  }

  async take(
    call: PhoneCall,
    media: CallMedia,
    { agentId, settings }: VoicemailAnsweringOrder,
  ): Promise<void> {
    const { clock, log, speak, languageOf } = this.#deps;
    try {
      const language = await languageOf(call.scope, agentId, call.id);
      const greeting = settings.greeting ?? phrasesOf(language).leaveMessage;
      const spoken = await speak(call, agentId, greeting);
      if (call.isOver) return;
      const sound = Buffer.concat([spoken, silence(BEFORE_BEEP_MS), tone(BEEP.hertz, BEEP.ms)]);
      call.endsAs(NONE);
      media.setHandler(
        new PlaybackMediaHandler({ clock, sound, done: () => this.#record(call, media, settings) }),
      );
    } catch (err) {
      log.error({ err, call: call.id }, 'a caller could not be sent to voicemail');
      call.end({ reason: 'failed', detail: 'the greeting of the voicemail could not be spoken' });
    }
  }

  #record(call: PhoneCall, media: CallMedia, settings: NumberSettings['voicemail']): void {
    const { clock, messages } = this.#deps;
    const { max_duration_s: maxS = MAX_DURATION_S, silence_s: silenceS = SILENCE_S } = settings;
    const spooled = messages.begin(call.id);
    const done = (message: Uint8Array | null) => {
      spooled.end();
      messages.left(call, message);
      call.end(message === null ? NONE : LEFT);
    };
    const spoke = () => call.endsAs(LEFT);
    const limits = { maxMs: maxS * 1000, silenceMs: silenceS * 1000 };
    media.setHandler(
      new VoicemailMediaHandler({ clock, ...limits, heard: (piece) => spooled.write(piece), spoke, done }),
    );
  }
}
