import type { omni } from '../../media/wire/index.ts';
import type { AgentFields, Profile } from '../agents/index.ts';

type Message = Partial<omni.Configuration>;

export function applyProfile(message: Message, profile: Profile | null): Message {
  if (profile === null) return message;
  return {
    ...profileFields(profile.fields, message),
    ...said(message),
    meta: { ...profile.fields.meta, ...message.meta },
  };
}

const said = (message: Message): Message =>
  Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined)) as Message;

function profileFields(fields: AgentFields, message: Message): Message {
  const language = fields.language ?? 'en';
  // The profile's voice applies only to the profile's language; another language uses its default voice.
  const spoken = message.language === undefined || message.language === language;
  // The voice under load may replace only the profile's own voice.
  const own = message.voice_id === undefined || message.voice_id === fields.voice_id;
  return {
    language,
    persona: fields.persona,
    greeting: fields.greeting,
    consent_line: fields.consent_line,
    vocabulary: [...fields.vocabulary],
    ...(fields.voice_id === null || !spoken ? {} : { voice_id: fields.voice_id }),
    ...(fields.voice_under_load === null || !spoken || !own
      ? {}
      : { voice_under_load: fields.voice_under_load }),
    ...(fields.voice_instruct === null ? {} : { voice_instruct: fields.voice_instruct }),
  };
}
