import { costOfVoice } from '../../media/engine/index.ts';
import {
  type AddedKokoro,
  type AddedModels,
  type AddedStyles,
  type AddedVoice,
  KOKORO_RATE,
  voiceIds,
  voiceIdsOf,
} from '../added-models/index.ts';
import { type AddedVoiceSource, EMOTIONS, type Voice } from './stock.ts';

/** Reads the operator's models again whenever they change, so that a voice is served without a restart. */
export function addedVoices(models: AddedModels): AddedVoiceSource {
  let version = '';
  let list: readonly Voice[] = [];
  let byName = new Map<string, Voice>();
  const refresh = () => {
    if (models.version === version) return;
    version = models.version;
    list = models.list
      .filter((model) => models.status(model).ready)
      .flatMap((model) => {
        if (model.kind === 'piper-voice') return voicesOf(model, models.pathOf(model));
        if (model.kind === 'kokoro-model') return kokoroModelVoicesOf(model, models.pathOf(model));
        return model.kind === 'kokoro-voices' ? kokoroVoicesOf(model) : [];
      });
    byName = new Map(list.flatMap((voice) => [voice.id, ...voice.aliases].map((name) => [name, voice])));
  };
  return {
    get list() {
      refresh();
      return list;
    },
    find: (name) => {
      refresh();
      return byName.get(name);
    },
    chosenFor: (language, plan, device) => models.chosenVoice({ language, plan, device }),
  };
}

export const voiceOfModel = (model: Pick<AddedVoice, 'name' | 'voice' | 'measured'>, folder: string): Voice =>
  voicesOf(model, folder)[0] as Voice;

function voicesOf(
  { name, voice, measured }: Pick<AddedVoice, 'name' | 'voice' | 'measured'>,
  folder: string,
): readonly Voice[] {
  const ids = voiceIds({ name, voice });
  const { language, region, accent, rate, speakers } = voice;
  return speakers.map((speaker, at) => ({
    id: ids[at] as string,
    name: speakers.length > 1 ? `${titled(name)}, ${speaker.name}` : titled(name),
    language,
    region,
    gender: null,
    tier: 'standard',
    emotions: ['neutral'],
    aliases: at === 0 && ids[0] !== name ? [name] : [],
    available_on: ['speak', 'omni', 'cast'],
    synthesis: {
      model: 'piper',
      phonemes: accent,
      added: { folder, rate, speaker: speaker.id, cost: costOfVoice(measured.realTimeFactor) },
    },
  }));
}

function kokoroVoicesOf(model: AddedStyles): readonly Voice[] {
  return model.voices.map((voice, at) => ({
    ...described(model, voice, at),
    emotions: EMOTIONS,
    available_on: ['speak', 'omni', 'cast'],
    synthesis: { model: 'kokoro', style: `${voice.style}.bin`, phonemes: voice.accent },
  }));
}

/** Its graph makes a clause at once, which is too late for calls. */
function kokoroModelVoicesOf(model: AddedKokoro, folder: string): readonly Voice[] {
  const cost = costOfVoice(model.measured.realTimeFactor);
  return model.voices.map((voice, at) => ({
    ...described(model, voice, at),
    emotions: ['neutral'],
    available_on: ['speak', 'cast'],
    synthesis: {
      model: 'kokoro',
      style: `${voice.style}.bin`,
      phonemes: voice.accent,
      added: { folder, rate: KOKORO_RATE, speaker: 0, cost },
    },
  }));
}

function described(
  model: AddedStyles | AddedKokoro,
  voice: (AddedStyles | AddedKokoro)['voices'][number],
  at: number,
) {
  const ids = voiceIdsOf(model);
  const id = ids[at] as string;
  const { language, region, gender } = voice;
  const aliases = at === 0 && ids[0] !== model.name ? [model.name] : [];
  return { id, name: titled(id), language, region, gender, tier: 'natural', aliases } as const;
}

const titled = (name: string): string =>
  name
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(' ');
