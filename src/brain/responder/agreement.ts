import type { BrainLanguage } from '../contract.ts';
import { bareText } from './intents.ts';
import { isNegated } from './requests.ts';

const YES: Record<BrainLanguage, string> = {
  en: "yes|yeah|yep|yup|sure|correct|right|exactly|absolutely|perfect|great|please do|please|go ahead|do it|do that|that's (?:right|correct|it|fine|good)|that is (?:right|correct|it|fine|good)|sounds good|ok|okay|of course|it is|all right|alright",
  es: 'sí|si|claro|vale|correcto|exacto|eso es|adelante|de acuerdo|perfecto|así es|está bien|por supuesto|hágalo',
  fr: "oui|ouais|d'accord|exact|exactement|c'est (?:ça|exact|bien ça|correct|bon)|tout à fait|allez-y|parfait|bien sûr|voilà|correct",
  de: 'ja|jawohl|genau|richtig|stimmt|das stimmt|korrekt|gerne?|natürlich|passt|in ordnung|okay|ok',
  hi: 'हाँ|हां|जी हाँ|जी हां|जी|सही|ठीक|बिल्कुल|बिलकुल|यह सही|कर दीजिए|कर दो',
};
const NO: Record<BrainLanguage, string> = {
  en: "no|nope|nah|wrong|incorrect|that's wrong|that is wrong|not",
  es: 'no|incorrecto|está mal|eso no',
  fr: "non|pas|faux|incorrect|c'est faux|ce n'est pas",
  de: 'nein|nee|falsch|das ist falsch|stimmt nicht',
  hi: 'नहीं|ना|जी नहीं|गलत|ग़लत',
};
/** What makes no yes of "yes". */
const RESERVED: Record<BrainLanguage, RegExp> = {
  en: /\b(but|wait|except|actually|instead|hold on|wrong|change|before|if)\b/,
  es: /(?<!\p{L})(pero|espere?|excepto|cambie|cambiar|mal|si no)(?!\p{L})/u,
  fr: /(?<!\p{L})(mais|attendez|sauf|plutôt|changer|faux)(?!\p{L})/u,
  de: /(?<!\p{L})(aber|warten|außer|ändern|falsch|sondern)(?!\p{L})/u,
  hi: /(?<![\p{L}\p{M}])(लेकिन|मगर|रुकिए|बदल|गलत|ग़लत)/u,
};

const opening = (words: string): RegExp => new RegExp(`^(?:${words})(?![\\p{L}\\p{M}])`, 'u');

/** Whether what was read back is agreed to. */
export function agreementIn(said: string, language: BrainLanguage): 'yes' | 'no' | null {
  const bare = bareText(said);
  if (opening(NO[language]).test(bare)) return 'no';
  const negated = isNegated(said, language) || RESERVED[language].test(bare);
  if (opening(YES[language]).test(bare)) return negated ? null : 'yes';
  return negated ? 'no' : null;
}
