import type { AgentLanguageWords } from './contract.ts';
import { letters, list, numbered, ordinals, others, phrases, tens, written } from './words.ts';

export const FR: AgentLanguageWords = {
  name: 'French',
  numbers: {
    counted: written(
      'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize',
    ),
    tens: tens('_ _ vingt trente quarante cinquante soixante'),
    others: others({ une: 1, septante: 70, huitante: 80, octante: 80, nonante: 90 }),
    hundreds: numbered({ cent: 100, cents: 100 }),
    scales: numbered({ mille: 1000, million: 1_000_000, millions: 1_000_000 }),
    articles: list('un une'),
    minus: list('moins'),
    points: list('virgule point'),
    halves: phrases('et demi|et demie'),
    repeats: numbered({ double: 2, triple: 3 }),
    zeros: [],
  },
  calendar: {
    weekdays: list('dimanche lundi mardi mercredi jeudi vendredi samedi'),
    months: list('janvier février mars avril mai juin juillet août septembre octobre novembre décembre'),
    alsoWeekdays: {},
    alsoMonths: {},
    relative: numbered({ 'après-demain': 2, demain: 1, "aujourd'hui": 0, 'ce soir': 0, hier: -1 }),
    ordinals: numbered({ premier: 1 }),
    joiners: [],
    yearJoiners: [],
    ahead: list('dans'),
    later: [],
    days: list('jour jours'),
    weeks: list('semaine semaines'),
    dayLeads: list('le'),
    dayTails: [],
    nextBefore: [],
    nextBehind: list('prochain'),
    thisBefore: list('ce'),
  },
  clock: {
    parts: [
      ['matin', 'morning'],
      ['matinee', 'morning'],
      ['apres midi', 'afternoon'],
      ['soir', 'evening'],
      ['soiree', 'evening'],
      ['nuit', 'night'],
    ],
    hours: list('heures heure h'),
    minutes: list('minute minutes'),
    markers: [],
    fixed: numbered({ midi: 12, minuit: 0 }),
    behind: numbered({
      ...{ 'et demie': 30, 'et demi': 30, 'et quart': 15, 'moins le quart': -15, 'moins quart': -15 },
    }),
    signs: { moins: -1, et: 1 },
    halfTo: [],
    quarters: [],
    past: [],
    to: [],
    pastBehind: [],
  },
  consent: {
    yes: phrases(
      "oui|ouais|d'accord|exact|exactement|c'est ça|c'est exact|c'est bien ça|c'est correct|c'est bon|tout à fait|allez-y|parfait|bien sûr|voilà|correct",
    ),
    no: phrases("non|pas|faux|incorrect|c'est faux|ce n'est pas"),
    reserved: phrases('mais|attendez|sauf|plutôt|changer|faux'),
    negation: phrases("pas|jamais|sans|ni|plus besoin|ne|n'|aucun|aucune|au lieu de"),
    polite: phrases(
      "pourquoi pas|ne pourriez-vous pas|ne pouvez-vous pas|ne peux-tu pas|ne pourrais-tu pas|n'oubliez pas|n'oubliez pas de",
    ),
  },
  spelling: {
    letters: letters(
      'bé b|cé c|dé d|effe f|gé g|hache h|ji j|ka k|elle l|aime m|emme m|enne n|haine n|pé p|cu q|erre r|air r|esse s|té t|vé v|double vé w|double v w|ixe x|i grec y|zède z',
    ),
    alphabet: written(
      'Anatole Berthe Célestin Désiré Eugène François Gaston Henri Irma Joseph Kléber Louis Marcel Nicolas Oscar Pierre Quintal Raoul Suzanne Thérèse Ursule Victor William Xavier Yvonne Zoé',
    ),
    positions: {
      ...ordinals(
        'premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième',
      ),
      ...numbered({ dernier: -1, dernière: -1, 'avant-dernier': -2, première: 1 }),
    },
    insteadOf: phrases('pas|au lieu de'),
    around: phrases("et|puis|euh|alors|c'est|le|un|une|mon numéro est|oui"),
    names: phrases(
      "je m'appelle|mon nom est|mon prénom est|mon nom complet est|je suis|c'est|au nom de|moi c'est",
    ),
    asIn: phrases('comme|comme dans|de'),
    at: phrases('arobase|at|a commercial'),
    dot: phrases('point'),
    dash: phrases("tiret|trait d'union"),
    underscore: phrases('tiret bas|souligné|underscore'),
    plus: list('plus'),
  },
  phrases: {
    filler: 'Un instant, je vous prie.',
    apology: "Je suis désolé, j'ai un problème en ce moment. Pouvez-vous répéter ?",
    trouble: "Je suis désolé, j'ai un problème en ce moment.",
    notHeard: "Pardon, je n'ai pas compris. Pouvez-vous répéter ?",
    unable: 'Je suis désolé, je ne peux pas vous aider pour le moment. Rappelez plus tard. Au revoir.',
    stillThere: 'Êtes-vous toujours là ?',
    greeting: 'Bonjour ! Comment puis-je vous aider ?',
    unknown:
      "Je suis désolé, je n'ai pas cette information. Je peux prendre un message ou vous passer une personne.",
    leaveMessage: 'Je vous écoute. Dites votre nom, votre numéro et de quoi il s’agit.',
    messageTaken: 'Merci, votre message est conservé avec cet appel. Autre chose ?',
    again: 'Je suis désolé, pouvez-vous le dire autrement ?',
    thanks: 'Je vous en prie. Autre chose ?',
    farewell: 'Merci de votre appel. Au revoir !',
    resumed: 'Désolé, nous avons été coupés.',
    handOver: 'Bien sûr, je vous passe une personne.',
    goOn: "D'accord. Que puis-je faire d'autre pour vous ?",
    confirm: 'Avant de le faire : {}. Est-ce que je continue ?',
    nothingSaid: "Je n'ai encore rien dit.",
    automated: 'Je suis un assistant automatique.',
  },
  capture: {
    what: {
      digits: 'le numéro',
      phone: 'votre numéro de téléphone',
      email: 'votre adresse e-mail',
      name: 'votre nom',
      code: 'le code',
      date: 'le jour',
      time: "l'heure",
      amount: 'le montant',
      yes_no: 'oui ou non',
    },
    ask: "Pouvez-vous me donner {}, s'il vous plaît ?",
    again: "Pardon, je n'ai pas compris {}. Redites-le lentement, s'il vous plaît.",
    more: "J'ai {}. Qu'est-ce qui vient après ?",
    character: "Je n'ai pas compris le {}. Quel est-il ?",
    places: written(
      'premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième',
    ),
    halfOfDay: '{}, du matin ou du soir ?',
    day: "Quel jour est-ce ? Dites le mois par son nom, s'il vous plaît.",
    check: "Cela ne tombe pas juste, j'ai dû mal entendre. Redites {} lentement, s'il vous plaît.",
    readBack: "J'ai {}. Est-ce exact ?",
    whatIsWrong: 'Excusez-moi. Que dois-je changer ?',
    whichOne: 'Lequel doit être {} ?',
    keypad: 'Tapez {} sur votre clavier, puis la touche dièse.',
    keys: {
      date: "Tapez le jour et le mois avec deux chiffres et l'année avec quatre.",
      time: "Tapez l'heure de 0 à 23 et les minutes, avec deux chiffres.",
    },
    spell: "Épelez {} lettre par lettre, s'il vous plaît.",
  },
  smallTalk: {
    fillers: phrases("s'il vous plaît|s'il te plaît|d'accord|bon|bien|alors|euh|et|parfait|madame|monsieur"),
    greet: phrases('bonjour|bonsoir|salut|allô|comment allez-vous|ça va'),
    thank: phrases('merci|merci beaucoup|merci bien|je vous remercie'),
    end: phrases("au revoir|c'est tout|à bientôt|bonne journée|bonne soirée|rien d'autre"),
    repeat: phrases(
      "répétez|répète|vous pouvez répéter|pouvez-vous répéter|pardon|comment|quoi|qu'avez-vous dit|encore une fois",
    ),
    stop: phrases('laissez tomber|laisse tomber|annulez|annuler|oubliez|arrêtez|tant pis'),
    identity: phrases(
      'qui êtes-vous|vous êtes qui|qui es-tu|qui parle|à qui je parle|à qui ai-je|je parle à un|je parle à une|parle à un robot|êtes-vous un robot|vous êtes un robot|es-tu un robot|êtes-vous une machine|vous êtes une machine|êtes-vous humain|êtes-vous humaine|êtes-vous une personne|vous êtes une personne|êtes-vous une vraie|vous êtes une vraie|êtes-vous une ia|vous êtes une ia|est-ce un robot|est-ce un enregistrement|comment vous appelez|comment tu t’appelles|votre nom',
    ),
    connect: phrases(
      'parler à|parler avec|parle à|passer à|passez-moi|me passer|transférer|transférez-moi|me transférer|joindre',
    ),
    want: phrases('je veux|je voudrais|donnez-moi'),
    somebody: phrases(
      "personne|humain|agent|conseiller|conseillère|quelqu'un|opérateur|opératrice|responsable|être humain",
    ),
  },
  persona: {
    self: [
      ['vous êtes', 'Je suis'],
      ['tu es', 'Je suis'],
      ['votre nom est', 'Mon nom est'],
      ['ton nom est', 'Mon nom est'],
    ],
    instructionTitles: phrases(
      'rôle|identité|personnalité|ton|style|tâche|tâches|objectif|objectifs|mission|règle|règles|directives|instruction|instructions|consigne|consignes|script|étapes|étape|interne|notes pour|conversation|dialogue|exemple|exemples|escalade|outils|objections|jamais|toujours|comportement|accueil|contexte|confidentiel|stratégie|négociation|qui vous êtes|déroulement|priorités',
    ),
    factTitles: phrases(
      'menu|carte|horaires|horaire|ouverture|prix|tarifs|tarif|forfaits|services|service|soins|prestations|produits|adresse|accès|stationnement|parking|livraison|politique|conditions|paiement|questions|informations|infos|à propos|équipements|chambres|cours|contact|offres|équipe',
    ),
    commands: phrases(
      'agissez|agis|aidez|aide|appelez|commencez|commence|concluez|confirmez|confirme|demandez|demande|dirigez|dis|dites|donnez|donne|écoutez|enregistrez|essayez|évitez|évite|expliquez|faites|finissez|gardez|garde|identifiez|indiquez|insistez|jamais|mentionnez|mettez|montrez|ne|notez|n|obtenez|offrez|parlez|parle|passez|posez|pouvez|précisez|prenez|proposez|propose|raccrochez|rappelez|rassurez|recueillez|redirigez|refusez|répétez|répondez|réponds|réservez|restez|saluez|si|soyez|sois|suggérez|suivez|terminez|toujours|traitez|transférez|tutoyez|utilisez|utilise|vendez|vérifiez|vérifie|vouvoyez|veillez|quand|lorsque|avant de|après avoir|d’abord|essaie|restez|assurez',
    ),
    secondPerson: phrases('vous|votre|vos|tu|ton|ta|tes|toi'),
    inward: phrases(
      "appelant|appelants|agent|agents|instructions|consignes|si le client|si la cliente|quand le client|lorsque le client|le client insiste|si quelqu'un|dites que|dis que|marge|marges|commission|objectif|quota|négocier|négociable|superviseur|autorisation|approbation|remise maximale|remise maximum|jusqu'à 10 de remise|outil|outils|prix coûtant|prime|prix plancher|au plus bas|et demandez|et dites|et soyez|alors dites|donc dites|assurez-vous",
    ),
    secret: phrases(
      "jamais|ne doit|ne doivent|ne devez|ne dois|confidentiel|confidentielle|confidentiels|interne|internes|secret|secrète|secrets|mot de passe|mots de passe|en aucun cas|ne dites|ne dis|ne le dites|ne le dis|ne révélez|ne révèle|ne la révélez|ne le révélez|ne mentionnez|ne mentionne|ne partagez|ne partage|ne le partagez|ne la partagez|ne communiquez|ne le communiquez|ne parlez|n'en parlez|ne donnez|ne le donnez|ne la donnez|ne proposez|gardez-le|gardez-la|garde-le|garde-la|reste entre nous|restent entre nous|entre nous",
    ),
    backward: phrases("c'est|ceci|cela|ça|le|la|les|l'|en|personne|ce|il est|elle est"),
    forward: phrases(
      'ce qui suit|ci-dessous|la suivante|le suivant|les suivantes|les suivants|suivantes|suivants',
    ),
    impersonal: [],
    human: phrases('humain|humaine|vraie personne|pas un robot'),
  },
  search: {
    stopWords: written(
      "un une des le la les l d de du et ou mais si à au aux en dans sur avec pour par comme est sont était être suis êtes ai as a avons avez ont peux peut pouvez pourrais je j tu il elle on nous vous ils elles me m te t se s lui leur mon ma mes ton ta tes son sa ses notre votre vos ce cet cette ces c qu que qui quoi quel quelle quels quelles quand où comment combien pourquoi ne n pas non oui y très plus s'il plaît voudrais savoir besoin veux quelque chose",
    ),
    endings: written('issements ations ation ements ement eaux ées és ée ent ons ez er ir re es é e s x'),
  },
};
