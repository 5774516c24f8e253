import type { BrainLanguage } from '../contract.ts';

export type Intent =
  | 'greet'
  | 'thank'
  | 'end'
  | 'hand_over'
  | 'repeat'
  | 'identity'
  | 'stay'
  | 'cancel'
  | 'yes'
  | 'no';

const MACHINE = '(robot|bot|human|real|machine|ai|person|computer|recording|automated)';
const SOMEBODY =
  '(person|human|agent|representative|someone|somebody|operator|manager|supervisor|colleague)\\b';

/** What says that somebody does not want it, up to the words that would ask for it, or in and behind them. */
const NEGATED: Record<BrainLanguage, { readonly before: RegExp; readonly behind?: RegExp }> = {
  en: {
    before:
      /(?<!\b(why|(can|could|may) (i|you|we)) )\b(do not|don't|dont|did not|didn't|would not|wouldn't|not|never|no need|rather not|without)( (ever|really|even|want|wanna|wish|like|need|care|have|going|having|trying|asking|(want|need|like) you|to))* $/,
  },
  es: { before: /(^|\s)(no|nunca|sin)( (quiero|quisiera|necesito|deseo|hace falta|tengo que|me|que))* $/ },
  fr: {
    before:
      /(?<!(peux|puis|peut|pourrais|pourrait|pouvez|pourriez)(-je|-vous)? )(?<!\p{L})(pas|jamais|sans)( (besoin|envie|de|du tout|à|me))* $/u,
  },
  de: {
    before: /^(?!.*\b(kann|könnte|können|darf)\b).*\b(nicht|nie|niemals|kein\S*)( \S+){0,2} $/,
    behind: /\bnicht (\S+ )?(sprechen|reden|verbinden)/,
  },
  hi: { before: /$^/, behind: /(बात|जोड़|मिला)\S*( करनी| करना| करने)? (नहीं|मत)/u },
};

type Patterns = readonly (readonly [Intent, RegExp])[];

/** Whole-utterance patterns come first: "goodbye" ends a call, "when do you say goodbye to the sale" does not. */
const PATTERNS: Record<BrainLanguage, Patterns> = {
  en: [
    [
      'end',
      /^(ok(ay)?,? )?(thanks?( you)?( very much| so much)?,? )?(that('s| is| will be) all,? ?|(good ?)?bye( ?bye)?|see you|have a (nice|good) day|hang up)( (now|then|thanks|thank you))*$/,
    ],
    [
      'hand_over',
      new RegExp(
        [
          `\\b(speak|talk|chat) (to|with) (\\S+ ){0,3}?${SOMEBODY}`,
          `\\b(connect|transfer|put|patch|hand|pass) me\\b (\\S+ ){0,5}?${SOMEBODY}`,
          `\\b(get|give|have|need|want) (me )?(an? |the |some )?(real |live |actual )?(human|person|operator|representative)( being)?( please)?$`,
          '^(an? )?(real |live )?(human|person|operator|agent|representative)( please)?$',
        ].join('|'),
      ),
    ],
    ['repeat', /\b(repeat|say) (that|it)( again)?\b|^(sorry|pardon|what)( me)?$|what did you say|come again/],
    [
      'identity',
      new RegExp(
        [
          "\\b(who (are you|is this)|am i (talking|speaking|chatting) (to|with)|what('s| is) your name)\\b",
          `\\b(are you|you are|you're) (really |actually |just )?(an? )?(real |live )?${MACHINE}\\b(?! estate)`,
          `\\bis this (an? )(real |live )?${MACHINE}( (or|i'm|i am|that i'm) .*| speaking)?$`,
        ].join('|'),
      ),
    ],
    [
      'cancel',
      /^(no,? )?(never ?mind|cancel( that| it)?|forget (it|that)|stop( that| it)?|leave it)( please)?$/,
    ],
    ['thank', /^(ok(ay)?,? |great,? )?(thanks?( you)?( very much| so much| a lot)?|cheers)$/],
    ['greet', /^(hi|hello|hey|good (morning|afternoon|evening))( there)?$/],
    ['yes', /^(yes|yeah|yep|yup|sure|ok(ay)?|of course|correct|right|please do|that's right)( please)?$/],
    ['no', /^(no|nope|nah|not really|no thanks?( you)?)$/],
  ],
  es: [
    [
      'end',
      /^(vale,? )?((muchas )?gracias,? )?(eso es todo|nada más|adiós|hasta (luego|pronto)|chao|cuelgo)( gracias)?$/,
    ],
    [
      'hand_over',
      /\b(hablar|pasar?|páseme|pásame|comunicar|transferir|transfiérame)\b.*\b(persona|humano|agente|alguien|operador|operadora|encargado)\b/,
    ],
    ['repeat', /\b(repita|repetir|repite)\b|^(perdón|cómo|qué)$|qué (dijo|ha dicho)/],
    [
      'identity',
      /(quién (eres|es usted|habla)|con quién hablo|(hablo|hablando) con (un |una )?(robot|persona|máquina|humano)|(eres|es usted|es esto) (un |una )?(robot|human[oa]|máquina|persona|ia|grabación|contestador)(?!\p{L})|cómo (te llamas|se llama))/u,
    ],
    ['cancel', /^(no,? )?(olvídelo|olvídalo|cancele|cancela|cancelar|déjelo|déjalo)( por favor)?$/],
    ['thank', /^(muchas |muchísimas )?gracias$/],
    ['greet', /^(hola|buenos días|buenas( tardes| noches)?)$/],
    ['yes', /^(sí|si|claro|vale|de acuerdo|correcto|por supuesto)( por favor)?$/],
    ['no', /^(no|no gracias|para nada)$/],
  ],
  fr: [
    [
      'end',
      /^(d'accord,? )?(merci( beaucoup)?,? )?(c'est tout|au revoir|à bientôt|bonne journée|rien d'autre)( merci)?$/,
    ],
    [
      'hand_over',
      /\b(parler|passer|passez|transférer|transférez)\b.*\b(personne|humain|agent|conseiller|conseillère|quelqu'un|opérateur|responsable)\b/,
    ],
    ['repeat', /\b(répéter|répétez|répète)\b|^(pardon|comment|quoi)$|qu'avez-vous dit/],
    [
      'identity',
      /(qui (êtes[- ]vous|es[- ]tu|parle)|à qui je parle|je parle à (un |une )?(robot|machine|personne|humain|ordinateur)|(êtes[- ]vous|vous êtes|es[- ]tu|tu es|est-ce) (un |une )?(vraie? )?(robot|humaine?|machine|personne|ia|ordinateur|enregistrement)(?!\p{L})|comment vous appelez)/u,
    ],
    [
      'cancel',
      /^(non,? )?(laissez tomber|annulez|annuler|oubliez|arrêtez|laisse tomber)( s'il vous plaît)?$/,
    ],
    ['thank', /^merci( beaucoup| bien)?$/],
    ['greet', /^(bonjour|bonsoir|salut|allô)$/],
    ['yes', /^(oui|ouais|d'accord|bien sûr|exact|tout à fait)( s'il vous plaît)?$/],
    ['no', /^(non|non merci|pas du tout)$/],
  ],
  de: [
    [
      'end',
      /^(ok(ay)?,? )?(danke( schön)?,? )?(das war alles|das ist alles|auf wiederhören|auf wiedersehen|tschüss|schönen tag( noch)?)( danke)?$/,
    ],
    [
      'hand_over',
      /\b(mensch(en)?|mitarbeiter(in)?|person|jemand(em|en)?|berater(in)?)\b.*\b(sprechen|reden|verbinden)\b|\bverbinden sie mich\b/,
    ],
    ['repeat', /\b(wiederholen)\b|^(wie bitte|was)$|noch ?mal bitte/],
    [
      'identity',
      /(wer (sind sie|bist du|spricht)|mit wem spreche|(spreche|rede) ich (\S+ ){0,2}mit (\S+ ){0,2}(roboter|menschen|maschine|computer|person)|(sind sie|bist du|ist das) (\S+ ){0,2}?(roboter|mensch|maschine|computer|ki|person|bandansage)(?!\p{L})|wie heißen)/u,
    ],
    ['cancel', /^(nein,? )?(vergessen sie('s| es)?|abbrechen|lassen sie('s| es)?|stopp)( bitte)?$/],
    ['thank', /^(vielen dank|danke( schön| sehr)?)$/],
    ['greet', /^(hallo|guten (tag|morgen|abend)|grüß gott|servus|moin)$/],
    ['yes', /^(ja|jawohl|genau|gerne?|natürlich|richtig|okay|ok)( bitte)?$/],
    ['no', /^(nein|nein danke|nee|nicht wirklich)$/],
  ],
  hi: [
    ['end', /^(ठीक है )?((बहुत )?(धन्यवाद|शुक्रिया) )?(बस इतना ही|अलविदा|बाय|फिर मिलेंगे|रखता हूँ|रखती हूँ)$/u],
    ['identity', /(इंसान|रोबोट|मशीन|व्यक्ति|किस) से बात कर (रहा|रही|रहे)/u],
    ['hand_over', /(इंसान|व्यक्ति|आदमी|एजेंट|अधिकारी|किसी) .*(बात|जोड़|मिला)/u],
    ['repeat', /(फिर से|दोबारा) .*(बोल|बताइ|कहि)|^(क्या|माफ़ कीजिए)$/u],
    ['identity', /(आप कौन|कौन बोल|किससे बात|आपका नाम|(रोबोट|मशीन|इंसान) (हैं|हो))/u],
    ['cancel', /^(नहीं )?(रहने दीजिए|रहने दो|छोड़िए|छोड़ो|रद्द (करो|कीजिए|करें))$/u],
    ['thank', /^(बहुत )?(बहुत )?(धन्यवाद|शुक्रिया)$/u],
    ['greet', /^(नमस्ते|नमस्कार|हेलो|हैलो)( जी)?$/u],
    ['yes', /^(हाँ|हां|जी|जी हाँ|जी हां|हाँ जी|ठीक है|बिलकुल|बिल्कुल|सही)$/u],
    ['no', /^(नहीं|ना|जी नहीं|नहीं जी)$/u],
  ],
};

const SIGNS = /[.,!?¿¡।;:"“”«»…]/gu;

export const bareText = (text: string): string =>
  text.normalize('NFC').toLowerCase().replaceAll('’', "'").replace(SIGNS, ' ').replace(/\s+/g, ' ').trim();

export function intentOf(text: string, language: BrainLanguage): Intent | null {
  const bare = bareText(text);
  for (const [intent, pattern] of PATTERNS[language]) {
    const found = pattern.exec(bare);
    if (found === null) continue;
    if (intent !== 'hand_over' || !isNegated(bare, found, language)) return intent;
    return 'stay';
  }
  return null;
}

function isNegated(bare: string, { 0: said, index }: RegExpExecArray, language: BrainLanguage): boolean {
  const { before, behind } = NEGATED[language];
  return before.test(bare.slice(0, index)) || (behind?.test(said + bare.slice(index + said.length)) ?? false);
}
