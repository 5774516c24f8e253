import { costOfVoice } from '../../media/engine/index.ts';
import { type AddedModels, type AddedVoice, voiceIds } from '../added-models/index.ts';
import type { AddedVoiceSource, Voice } from './stock.ts';

/** Reads the operator's models again whenever they change, so that a voice is served without a restart. */
export function addedVoices(models: AddedModels): AddedVoiceSource {
  let version = '';
  let list: readonly Voice[] = [];
  let byName = new Map<string, Voice>();
  const refresh = () => {
    if (models.version === version) return;
    version = models.version;
    list = models.list
      .filter((model) => model.kind === 'piper-voice')
      .filter((model) => models.status(model).ready)
      .flatMap((model) => voicesOf(model, models.pathOf(model)));
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
    chosenFor: (language, plan) => models.chosenVoice(language, plan),
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

const titled = (name: string): string =>
  name
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(' ');
