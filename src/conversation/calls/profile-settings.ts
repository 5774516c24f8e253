import { type BargeSensitivity, readBargeSensitivity } from '../../media/engine/index.ts';
import { ENDPOINTING, groundingOf, type Profile } from '../agents/index.ts';
import type { IdlePlan, SessionPhrases, SessionSettings } from '../session/index.ts';

export interface ProfileSettings {
  readonly session: Pick<SessionSettings, 'grounding' | 'timeZone' | 'brain' | 'phrases'>;
  readonly idle: IdlePlan | null;
  readonly maxDurationMs: number | null;
  readonly barge: BargeSensitivity | null;
  readonly locksSpeaker: boolean;
  readonly denoisesRecording: boolean;
  readonly endpointingMs: number | null;
  readonly voiceProvider: string | null;
  readonly recognizer: string | null;
}

const IDLE = { ask_after_s: 20, times: 3, hang_up: true };

/** A session without a profile is grounded where it has knowledge of its own. */
export function profileSettings(profile: Profile | null, hasKnowledge: boolean): ProfileSettings {
  if (profile === null) {
    const grounding = hasKnowledge ? 'strict' : 'open';
    return {
      session: { grounding },
      idle: null,
      maxDurationMs: null,
      barge: null,
      locksSpeaker: false,
      denoisesRecording: false,
      endpointingMs: null,
      voiceProvider: null,
      recognizer: null,
    };
  }
  const { fields } = profile;
  const { endpointing } = fields;
  return {
    session: {
      grounding: fields.grounding ?? (hasKnowledge ? 'strict' : groundingOf(fields)),
      phrases: phrasesOf(fields.phrases),
      timeZone: fields.time_zone,
      brain: fields.brain,
    },
    idle: fields.idle === null ? null : idleOf({ ...IDLE, ...fields.idle }),
    maxDurationMs: fields.max_duration_s === null ? null : fields.max_duration_s * 1000,
    voiceProvider: fields.voice_provider,
    recognizer: fields.recognizer,
    barge: readBargeSensitivity(fields.barge_sensitivity),
    locksSpeaker: fields.primary_speaker,
    denoisesRecording: fields.denoise.includes('recording'),
    endpointingMs: typeof endpointing === 'number' ? endpointing : ENDPOINTING[endpointing],
  };
}

const idleOf = (idle: typeof IDLE): IdlePlan => ({
  afterMs: idle.ask_after_s * 1000,
  times: idle.times,
  hangUp: idle.hang_up,
});

const phrasesOf = (phrases: Profile['fields']['phrases']): SessionPhrases => ({
  ...(phrases.thinking === undefined ? {} : { thinking: phrases.thinking }),
  ...(phrases.still_there === undefined ? {} : { stillThere: phrases.still_there }),
  ...(phrases.apology === undefined ? {} : { apology: phrases.apology }),
  ...(phrases.farewell === undefined ? {} : { farewell: phrases.farewell }),
  ...(phrases.resumed === undefined ? {} : { resumed: phrases.resumed }),
});
