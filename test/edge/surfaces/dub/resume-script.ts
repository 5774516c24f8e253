import { Phrasebook } from './node.ts';

const PHRASES: Readonly<Record<string, string>> = {
  'The house is very big.': 'La casa es muy grande.',
  'We go there tomorrow.': 'Vamos allí mañana.',
  'The garden is behind it.': 'El jardín está detrás.',
  'Nobody lives there now.': 'Nadie vive allí ahora.',
  'The key is in my pocket.': 'La llave está en mi bolsillo.',
  'Come with us at noon.': 'Ven con nosotros a mediodía.',
};
export const LINES = Object.keys(PHRASES);

export const script = (line: number) => ({ text: LINES[line] as string });
export const TRANSLATOR = () => new Phrasebook('model', PHRASES);
