import { language, t } from '../i18n/index.ts';

export const LANGUAGE_CHOICES = [
  ['en', 'English'],
  ['es', 'Español'],
  ['fr', 'Français'],
  ['de', 'Deutsch'],
  ['hi', 'हिन्दी'],
] as const;

export const HEARD_LANGUAGES = ['en', 'es', 'fr', 'de', 'hi', 'it', 'pt', 'nl'] as const;

/** Shown beside every choice of language that has Hindi. */
export const recognizedPoorly = (): string =>
  t('Recognition of Hindi is poor. Add your own recognizer: npx trunkline models add.');

export const nameOfLanguage = (code: string): string =>
  new Intl.DisplayNames([language()], { type: 'language' }).of(code) ?? code;

/** Each sentence has numbers, a name and a question, as calls do. */
export const SENTENCES: Readonly<Record<string, string>> = {
  en: 'Good morning, this is Anna from the service desk. Your appointment is on Tuesday at half past nine. Does that suit you?',
  es: 'Buenos días, le habla Ana, del servicio de atención. Su cita es el martes a las nueve y media. ¿Le viene bien?',
  fr: 'Bonjour, ici Anne, du service clients. Votre rendez-vous est mardi à neuf heures et demie. Cela vous convient-il ?',
  de: 'Guten Morgen, hier ist Anna vom Kundendienst. Ihr Termin ist am Dienstag um halb zehn. Passt Ihnen das?',
  hi: 'नमस्ते, मैं सेवा केंद्र से अन्ना बोल रही हूँ। आपका समय मंगलवार को साढ़े नौ बजे है। क्या यह ठीक है?',
  it: 'Buongiorno, sono Anna del servizio clienti. Il suo appuntamento è martedì alle nove e mezza. Le va bene?',
  pt: 'Bom dia, fala a Ana do serviço de atendimento. A sua consulta é na terça-feira às nove e meia. Pode ser?',
  ja: 'おはようございます。サービスセンターのアンナです。ご予約は火曜日の九時半です。よろしいでしょうか。',
  zh: '早上好，我是服务台的安娜。您的预约是星期二九点半。您方便吗？',
};
