import type { PiiFinding } from './finding.ts';
import { AMBIGUOUS_FIRST_NAMES, FIRST_NAMES } from './first-names.ts';

const WORD = /[\p{L}\p{M}][\p{L}\p{M}'’-]*\.?/gu;
const PARTICLES = new Set(
  'de del della di da do dos das la las los le van von der den ten ter zu zum bin ibn al el y e af'.split(
    ' ',
  ),
);
const MAX_WORDS = 5;
const MAX_UNCAPITALIZED_WORDS = 3;

/** The words after "my name is" and similar phrases are a name, capitalized or not. */
const INTRODUCTIONS = [
  /(?:my|his|her|their|your|the|whose|customer'?s?|patient'?s?|caller'?s?|holder'?s?|full|first|last|middle|maiden|given|family|sur|user)\s*names?(?:\s+on\s+(?:the|my)\s+\p{L}+)?\s*(?:is|was|are|'s|:|=|,)/u,
  /(?:^|[\n.;,>]\s*)names?\s*(?:is|:)/u,
  /(?:me llamo|se llama|mi nombre(?: completo)? es|(?:su|el) nombre(?: del \p{L}+)? es|nombre(?: completo)?:|(?:mi|su) apellido es|apellidos?:|a nombre de|soy (?:el |la )?(?:señora?|se[ñn]orita|doctora?)|de parte de)/u,
  /(?:je m['’]appelle|il s['’]appelle|elle s['’]appelle|(?:mon|son|votre|le) (?:nom|prénom)(?: complet| de famille)? (?:est|c['’]est)|(?:nom|prénom)(?: complet)? ?:|au nom de|de la part de)/u,
  /(?:ich hei(?:ß|ss)e|er hei(?:ß|ss)t|sie hei(?:ß|ss)t|(?:mein|ihr|sein|der) (?:voller |vollständiger )?(?:vor|nach|familien)?name (?:ist|lautet|war)|(?:vor|nach|familien)?name:|auf (?:den|meinen) namen|im namen von)/u,
  /(?:mi chiamo|si chiama|il (?:mio|suo) (?:nome|cognome)(?: completo)? è|(?:nome|cognome)(?: completo)? ?:|a nome di|da parte di)/u,
  /(?:me chamo|chamo-me|se chama|(?:o )?(?:meu|seu) (?:nome|apelido|sobrenome)(?: completo)? é|(?:nome|apelido|sobrenome)(?: completo)? ?:|em nome d[eoa]|da parte d[eoa])/u,
  /(?:ik heet|hij heet|zij heet|mijn (?:volledige )?(?:voor|achter)?naam is|(?:de|zijn|haar) naam is|(?:voor|achter)?naam:|op naam van|namens)/u,
  /(?:मेरा(?: पूरा)? नाम|उनका नाम|उसका नाम|आपका नाम|नाम है|नाम:)/u,
];
const MENTIONS = [
  /(?:this is|i am|i'm|i’m|it is|it's|it’s|speaking (?:with|to)|(?:speak|talk|spoke|talked) (?:with|to)|call me|named|called|signed by|ask for|asking for|regards,?|sincerely,?|on behalf of|married to|under(?: the name)?(?: of)?|here is|(?:my|his|her) (?:husband|wife|son|daughter|brother|sister|mother|father|boss|doctor|friend|colleague|partner|manager|neighbou?r|kid)(?: is)?|patient|customer|client|tenant|beneficiary|account holder|cardholder|attn:?|dear|hello|hi|hey|thanks|thank you|bye|goodbye)/u,
  /(?:hablo con|habla con|soy|le habla|le atiende|hablar con|aquí|gracias|hola|adiós|estimad[oa]|(?:mi|su) (?:marido|mujer|esposa?|hij[oa]|hermanna?|hermano|madre|padre|jefe|amig[oa])(?: es)?|paciente|cliente|titular)/u,
  /(?:je suis|c['’]est|ici|parler (?:à|avec)|appelez-moi|merci|bonjour|salut|(?:mon|ma) (?:mari|femme|fils|fille|frère|sœur|mère|père|ami|amie|chef)(?: est)?|patiente?|cliente?|titulaire)/u,
  /(?:hier (?:ist|spricht)|ich bin|mit|am apparat|sprechen mit|spreche ich mit|danke|hallo|guten tag|(?:mein|meine) (?:mann|frau|sohn|tochter|bruder|schwester|mutter|vater|chef|freund|freundin)(?: ist| heißt)?|patient(?:in)?|kund(?:e|in)|kontoinhaber(?:in)?)/u,
  /(?:sono|parlo con|parlare con|qui è|qui|grazie|ciao|buongiorno|(?:mio|mia) (?:marito|moglie|figlio|figlia|fratello|sorella|madre|padre|capo|amico|amica)(?: è)?|paziente|cliente|intestatario)/u,
  /(?:sou (?:o|a)?|fala (?:o|a)?|falo com|falar com|aqui é(?: o| a)?|obrigad[oa]|olá|bom dia|(?:meu|minha) (?:marido|mulher|esposa|filho|filha|irmão|irmã|mãe|pai|chefe|amigo|amiga)(?: é)?|paciente|cliente|titular)/u,
  /(?:u spreekt met|spreek ik met|ik ben|met|hier is|bedankt|hallo|dag|mijn (?:man|vrouw|zoon|dochter|broer|zus|moeder|vader|baas|vriend|vriendin)(?: is| heet)?|patiënte?|klant|rekeninghouder)/u,
  /(?:मैं|बात कर रह[ाी] हूँ|नमस्ते|धन्यवाद|श्रीमान)/u,
];
/** A word of this list is followed by a name, without a verb between. */
const LABELS = [
  /(?:last|first|middle|maiden|family|given)\s?name|surname/u,
  /(?:^|[\n.,;\u2028]\s*)(?:nombre|nom|nome|naam|name)/u,
  /apellidos?|nom de famille|prénom|(?:nach|vor|familien)name|cognome|apelido|sobrenome|(?:achter|voor)naam|उपनाम|सरनेम/u,
];
/** So people name themselves on the telephone, often by the family name alone. */
const SELF = [
  /hier spricht|(?:le |aquí )?habla|qui parla|aqui é(?: [oa])?|(?:da|a)qui fala(?: [oa])?|(?:quem )?fala (?:é )?[oa]|spreekt (?:u )?met/u,
];
/** These words open many a sentence, so they announce a name only where the sentence ends or greets behind it. */
const SELF_AT_START = [/hier (?:ist|is)|(?:^|[\n.,\u2028]\s*)(?:met|qui|ici|aquí)/u];
/** Texts without capitals name only themselves so: "sono serena" has no name. */
const SELF_UNCAPITALIZED = [
  /soy|this is|i['’]m|it['’]s|le habla|sou [oa]|(?:da|a)qui fala [oa]|spreekt (?:u )?met|hier (?:ist|spricht)/u,
];
const TITLES =
  /(?:mr|mrs|ms|miss|mister|mx|dr|doctor|prof|professor|sir|señora?|señorita|srta|sra?|don|doña|doctora|licenciad[oa]|monsieur|madame|mademoiselle|mme|mlle|maître|docteur|herrn?|frau|signora?|signore|signorina|sig|sig\.ra|dottor|dottore|dottoressa|professor|professore|dott|dott\.ssa|avvocato|ingegner|senhora?|doutora?|dona|dra|meneer|mevrouw|dhr|mevr|mw|doktor|श्री|श्रीमती|सुश्री|कुमारी|डॉ|डॉक्टर|मिस्टर|मिसेज)\.?/u;

const before = (parts: readonly RegExp[]): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{M}])(?:${parts.map(({ source }) => source).join('|')})(?![\\p{L}\\p{M}])(?:(?!\\u2028)[\\s"“«>,:])*`,
    'giu',
  );
const INTRODUCED = before(INTRODUCTIONS);
const MENTIONED = before(MENTIONS);
const TITLED = before([TITLES]);
const LABELLED = before(LABELS);
const SELF_NAMED = before(SELF);
const UNCAPITALIZED = before(SELF_UNCAPITALIZED);
const SELF_NAMED_AT_START = before(SELF_AT_START);
const ENDS_OR_GREETS =
  /^(?:\s*[,.!?\u2028]|\s*$|\s+(?:guten|grüß|hallo|noch|nochmal|wieder|am|vom|aus|goede\p{L}+|hallo|nogmaals|buongiorno|buonasera|di|bonjour|du|de la|buen[oa]s)(?!\p{L}))/iu;
const ASKED =
  /(?:\b(?:names?|nombre|nom|nome|naam)\b(?!\s(?:of|de|du|des|do|da|del|della|dell['’]|van|der)\s(?!famil|usuario|titular|paciente|cliente|person|naissance|jeune|your\b))|who am i (?:speaking|talking)|with whom|who'?s calling|apellidos?|quién (?:habl[ao]|llama)|cómo se llama|prénom|qui est à l['’]appareil|vous appelez-vous|nachname|vorname|wie hei(?:ß|ss)en sie|mit wem|com quem|con chi|à qui|कौन बोल|किससे बात|cognome|come si chiama|chi parla|como se chama|quem fala|achternaam|hoe heet u|met wie|नाम)[^?.!।\u2028]{0,40}(?:[?।]|[.!]?\u2028)\s*(?:\p{L}+:\s*)?(?:(?:yes|yeah|yep|okay|ok|well|sure|of course|uhm?|um|er|eh|ehm|euh|ähm?|hm+|it'?s|it is|this is|i'?m|con|mit|com|met|avec|sí|pues|alors|also|allora|dunque|bom|nou|claro|es|soy|oui|bien sûr|c['’]est|ja|natürlich|gern|gerne|sì|certo|è|sono|sim|claro|é|sou|जी|हाँ|हां)(?![\p{L}\p{M}])[\s,.]*){0,4}/giu;

/** Hindi puts "in the name of" after the name. */
const HINDI_BEHIND =
  /(?<![\p{L}\p{M}])([\p{Script=Devanagari}\p{M}]+\s[\p{Script=Devanagari}\p{M}]+)(?=\s+के\s+नाम(?:\s+(?:पर|से)))/gu;

/** These words behind a name say that its owner is on the telephone. */
const SELF_BEHIND = new RegExp(
  `(?<![\\p{L}\\p{M}])${/(?:speaking|à l['’]appareil|am apparat|al aparato|al habla|all['’]apparecchio|aan de (?:telefoon|lijn))/u.source}(?![\\p{L}\\p{M}])`,
  'giu',
);
/** "I am … speaking" in Hindi. */
const HINDI_SELF =
  /(?<![\p{L}\p{M}])मैं\s+([\p{Script=Devanagari}\p{M}]{1,40}(?:\s[\p{Script=Devanagari}\p{M}]{1,40}){0,2})(?=\s+बोल(?![\p{L}\p{M}]))/gu;
/** A word before these is a place or a list, and no name. */
const HINDI_IN = new Set(['में', 'पर']);
const HINDI_NO_NAMES = new Set(
  'से का की के में को पर भी तो ही अभी आज यहाँ यहां वहाँ सच झूठ हिंदी हिन्दी अंग्रेज़ी अंग्रेजी ठीक सही फिर दोबारा जल्दी धीरे कुछ क्या नहीं यह ये वही आप आपको आपसे उनसे फ़ोन फोन'.split(
    ' ',
  ),
);

const STOPS = new Set(
  (
    'and i my me is was am the a an at in on from with for to of calling call speaking here hold one moment second just why what no not sorry again already please thanks doktor thank you your can could would number date born live lives phone email address account card but so or it that this we he she they have has had want wanted need ' +
    'grazie gracias merci danke obrigado obrigada bedankt hoy oggi heute hoje vandaag momento momentito segundo attimo moment instant ogenblik sekunde ' +
    'y yo mi mis el la los las un una es soy vivo tengo quiero llamo con para por de en mucho gusto pero que número correo teléfono ' +
    'et je mon ma mes le les une est suis habite appelle pour avec dans sur né née mais ' +
    'und ich mein meine der die das ist bin wohne rufe aus mit für wegen geboren aber ' +
    'e io mio mia il lo gli sono abito chiamo per con ma o ' +
    'eu meu minha o os as sou moro ligo para com mas ' +
    'en ik mijn het een ben woon bel voor met maar ' +
    'है हूँ और मैं मेरा मेरी मेरे से का की के में को पर क्या कौन किस नहीं बताइए बताएं बताइये पूरा सही गलत लिखा लिखिए दर्ज कृपया ही तो भी जी एक मिनट बताता बताती रुकिए हाँ'
  ).split(' '),
);
const NO_NAMES = new Set(
  (
    'I The A An This That It He She We You They My Your His Her Our Their And But Or So If When What Where Who Why How Yes No Not Okay Ok Oh Ah Uh Um Well Please Thanks Thank Hello Hi Hey Good Morning Afternoon Evening Can Could Would Will Is Are Do Does Did Let There Here Just Sure Right Now Then Sorry Great Bye Goodbye Mr Mrs Ms Dr Sir Madam Miss ' +
    'Islands Island Republic United Kingdom States North South East West New Lake River Mount County City Town Beach Airport Station Orchestra Club Foundation Institute Museum Church PLC Sons Association University Bot Suite Apt Street St Rd Ave Box ' +
    'Bank Insurance Inc Ltd LLC Corp Company Support Services Service Clinic Hotel Airlines Airline Center Centre Hospital University College School Street Road Avenue Lane Drive Court Place Customer Care Sales Billing Department Team Office Group Health Dental Police Fire Credit Card Visa Mastercard American Express Internet Wifi Order Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September October November December Spanish English French German Italian Portuguese Dutch Hindi Christmas Easter ' +
    'El La Los Las Un Una Yo Mi Su Es Sí No Hola Buenos Buenas Días Tardes Noches Gracias Por Para Con Pero Que Qué Cómo Cuándo Dónde Señor Señora Calle Avenida Plaza Banco Seguro Hospital Hotel ' +
    'Le Les Une Je Vous Il Elle Nous Mon Ma Votre Oui Non Bonjour Bonsoir Merci Mais Est Et Monsieur Madame Rue Banque Hôpital Hôtel ' +
    'Moment Sekunde Augenblick Feierabend Schluss Ruhe Ende Post Momento Instant ' +
    'Der Die Das Ein Eine Ich Sie Er Es Wir Mein Meine Ihr Ihre Ja Nein Guten Tag Morgen Abend Danke Bitte Und Aber Ist Herr Frau Wie Was Wer Wo Wann Straße Weg Platz Bank Termin Rechnung Vertrag Nummer Kunde Kundin Konto Karte Adresse Telefon Versicherung Krankenkasse Firma Uhr Euro ' +
    'Il Lo Gli Io Lei Signor Signora Buongiorno Buonasera Grazie Ciao Sì Via Viale Piazza Corso Banca Ospedale ' +
    'O Os As Eu Você Meu Minha Seu Sua Sim Não Olá Bom Boa Dia Tarde Noite Obrigado Obrigada Rua Avenida Banco ' +
    'De Het Een Ik U Mijn Uw Ja Nee Goedemorgen Goedemiddag Dag Bedankt Dank Meneer Mevrouw Straat Rekening'
  ).split(' '),
);
const isCapitalized = (word: string): boolean => /^\p{Lu}/u.test(word) && word.toLowerCase() !== word;
const isShouted = (word: string): boolean => word.length > 2 && word === word.toUpperCase();
/** Adjectives of places are no names: "I'm Canadian". */
const DEMONYM = /(?:ish|ian|ese|[^n]an|ano|ana|ais|aise|isch|isc?he|ino|ês|esa)$/u;

const SHORTEST_DEMONYM = 6;
const isDemonym = (word: string): boolean => word.length >= SHORTEST_DEMONYM && DEMONYM.test(word);

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function wordsOf(text: string): readonly Word[] {
  return [...text.matchAll(WORD)].map(({ 0: found, index }) => {
    const isInitial = /^\p{Lu}\.$/u.test(found);
    const word = isInitial ? found : found.replace(/['’]s?\.?$/u, '').replace(/\.$/u, '');
    return { text: word, start: index, end: index + word.length };
  });
}

const nameable = ({ text }: Word): boolean => isCapitalized(text) && !NO_NAMES.has(text);

function endOfName(text: string, words: readonly Word[], at: number): number {
  let to = at + 1;
  let count = 1;
  while (count < MAX_WORDS) {
    let next = to;
    while (next < to + 2 && PARTICLES.has(words[next]?.text.toLowerCase() ?? '')) next += 1;
    const word = words[next];
    const last = words[next - 1] as Word;
    if (word === undefined || !nameable(word)) break;
    const gap = text.slice((words[to - 1] as Word).end, word.start);
    if (!/^[ \t\p{L}\p{M}]*$/u.test(gap) || !/^\s+$/.test(text.slice(last.end, word.start))) break;
    to = next + 1;
    count += 1;
  }
  return to;
}

function endOfUncapitalized(text: string, words: readonly Word[], at: number): number {
  let to = at;
  while (to < words.length && to - at < MAX_UNCAPITALIZED_WORDS) {
    const word = words[to] as Word;
    const gap = to === at ? ' ' : text.slice((words[to - 1] as Word).end, word.start);
    if (STOPS.has(word.text.toLowerCase()) || !/^[ ]+$/.test(gap)) break;
    to += 1;
  }
  return to;
}

interface Contexts {
  readonly introduced: ReadonlySet<number>;
  readonly titled: ReadonlySet<number>;
  readonly mentioned: ReadonlySet<number>;
  readonly asked: ReadonlySet<number>;
  readonly labelled: ReadonlySet<number>;
  readonly self: ReadonlySet<number>;
  readonly selfAtStart: ReadonlySet<number>;
  /** The places where "speaking" and the like follow. */
  readonly selfBehind: ReadonlySet<number>;
  readonly isFrench: boolean;
  /** The places where a name without capitals may begin. */
  readonly uncapitalized: ReadonlySet<number>;
}

const endsOf = (text: string, pattern: RegExp): ReadonlySet<number> =>
  new Set([...text.matchAll(pattern)].map(({ 0: found, index }) => index + found.length));

const contextsOf = (text: string): Contexts => ({
  introduced: endsOf(text, INTRODUCED),
  titled: endsOf(text, TITLED),
  mentioned: endsOf(text, MENTIONED),
  asked: endsOf(text, ASKED),
  labelled: endsOf(text, LABELLED),
  self: endsOf(text, SELF_NAMED),
  selfAtStart: endsOf(text, SELF_NAMED_AT_START),
  selfBehind: new Set([...text.matchAll(SELF_BEHIND)].map(({ index }) => index)),
  isFrench: FRENCH.test(text),
  uncapitalized: /\p{Ll}\s+\p{Lu}\p{Ll}/u.test(text) ? new Set() : endsOf(text, UNCAPITALIZED),
});

export function nameFindings(text: string): readonly PiiFinding[] {
  const words = wordsOf(text);
  const contexts = contextsOf(text);
  const found: PiiFinding[] = [];
  const known = new Set<string>();
  const add = (from: number, to: number) => {
    const first = words[from] as Word;
    const last = words[to - 1] as Word;
    found.push({ type: 'NAME', start: first.start, end: last.end });
    for (const { text: word } of words.slice(from, to))
      if (word.length > 2 && !PARTICLES.has(word.toLowerCase()) && isCapitalized(word)) known.add(word);
  };
  const marked = new Set<number>();
  for (let at = 0; at < words.length; ) {
    const to = nameEnd(text, words, at, contexts);
    if (to > at) {
      add(at, to);
      for (let taken = at; taken < to; taken += 1) marked.add(taken);
    }
    at = Math.max(to, at + 1);
  }
  for (const match of text.matchAll(HINDI_BEHIND)) {
    const name = match[1] as string;
    found.push({ type: 'NAME', start: match.index, end: match.index + name.length });
  }
  for (const match of text.matchAll(HINDI_SELF)) {
    const name = match[1] as string;
    const start = match.index + match[0].length - name.length;
    if (!name.split(/\s/u).some((word) => HINDI_NO_NAMES.has(word)))
      found.push({ type: 'NAME', start, end: start + name.length });
  }
  words.forEach(({ text: word, start, end }, at) => {
    if (!marked.has(at) && known.has(word) && !NO_NAMES.has(word)) found.push({ type: 'NAME', start, end });
  });
  return found.sort((a, b) => a.start - b.start);
}

function nameEnd(text: string, words: readonly Word[], at: number, contexts: Contexts): number {
  const word = words[at] as Word;
  const isTitled = contexts.titled.has(word.start);
  const isAsked = contexts.asked.has(word.start);
  if (contexts.introduced.has(word.start) || isTitled) {
    const end = endOfName(text, words, at);
    if (nameable(word) || (PARTICLES.has(word.text.toLowerCase()) && end > at + 1)) return end;
    // "Sir, but" has no name: after a title, an uncapitalized word counts only in text without capitals.
    if (isCapitalized(word.text) || (isTitled && isCapitalized(words[at - 1]?.text ?? ''))) return at;
    const to = endOfUncapitalized(text, words, at);
    if (HINDI_IN.has(words[to]?.text ?? '')) return at;
    return isTitled ? Math.min(to, at + 1) : to;
  }
  const isMentioned = contexts.mentioned.has(word.start);
  const isSelf = contexts.self.has(word.start);
  if (!nameable(word)) {
    const end = endOfName(text, words, at);
    const isParticle = PARTICLES.has(word.text.toLowerCase()) && end > at + 1;
    if (isParticle && (isSelf || isAsked || contexts.labelled.has(word.start))) return end;
    if (isCapitalized(word.text)) return at;
    if (isAsked) return askedEnd(text, words, at);
    return contexts.uncapitalized.has(word.start) ? uncapitalizedEnd(text, words, at) : at;
  }
  const to = endOfName(text, words, at);
  if (isAsked || contexts.labelled.has(word.start)) return to;
  const isLone = to === at + 1;
  const isAtTelephone =
    isSelf ||
    isFollowed(words[to - 1] as Word, contexts.selfBehind) ||
    (contexts.selfAtStart.has(word.start) && endsOrGreets(text, words[to - 1] as Word));
  if (
    isAtTelephone &&
    !isShouted(word.text) &&
    !GERMAN_NOUN.test(word.text) &&
    !ALSO_PLACES.has(word.text) &&
    !namesOrganization(text, words, at, to)
  )
    return to;
  if (isLone && !isMentioned && isSaidAsPlace(text, word, contexts)) return at;
  if (namesOrganization(text, words, at, to) || isPlace(text, words, at)) return at;
  if (FIRST_NAMES.has(word.text)) return to;
  if (isShouted(word.text)) return to > at + 1 && FIRST_NAMES.has(sentenceCase(word.text)) ? to : at;
  if (AMBIGUOUS_FIRST_NAMES.has(word.text))
    return to > at + 1 || isMentioned || !beginsSentence(text, word.start) ? to : at;
  // "This is Jane Doe" has a name, "I'm Canadian" does not.
  return isMentioned && to > at + 1 && !isDemonym(word.text) ? to : at;
}

const GERMAN_NOUN = /(?:ung|heit|keit|schaft|dienst|service|amt|kasse|bank|haus|werke?|zentrale|praxis)$/iu;

const endsOrGreets = (text: string, { end }: Word): boolean =>
  ENDS_OR_GREETS.test(text.slice(end, end + LEAD));

const isFollowed = (last: Word, by: ReadonlySet<number>): boolean =>
  by.has(last.end + 1) || by.has(last.end + 2);

/** "Soy javier lozano" where nothing has capitals: a known first name and a word behind it. */
function uncapitalizedEnd(text: string, words: readonly Word[], at: number): number {
  const { text: first, end } = words[at] as Word;
  const family = words[at + 1];
  const isFamily =
    FIRST_NAMES.has(sentenceCase(first)) &&
    family !== undefined &&
    /^[ ]+$/.test(text.slice(end, family.start)) &&
    !isCapitalized(family.text) &&
    !STOPS.has(family.text.toLowerCase());
  return isFamily ? at + 2 : at;
}

/** These first names are better known as places: alone, they need a word beside them that marks a name. */
const ALSO_PLACES = new Set(
  'Austin Houston Dallas Lincoln Jackson Phoenix Savannah Sydney Paris London Santiago Valencia Milan Milano Verona Siena Orlando Denver Salem Kingston Preston Cleveland Lima Trenton Jersey Alexandria Bristol Washington India Kenya Asia Israel Lourdes Lyon Roma Vienna Brooklyn'.split(
    ' ',
  ),
);
/** The place may be the second of two: "to Milan and Florence". */
const FIRST_OF_TWO =
  '(?:\\p{Lu}[\\p{L}\\p{M}]{1,30},?\\s(?:(?:and|then|y|luego|et|puis|und|dann|e|poi|depois|en|dan)\\s){1,2})?';
const INTO = new RegExp(
  `(?<![\\p{L}\\p{M}])(?:[Ii]n|[Nn]ach|[Nn]ear|[Tt]owards|[Hh]asta|[Hh]acia|[Dd]esde|[Vv]ers|[Vv]erso|[Nn]aar)\\s${FIRST_OF_TWO}$`,
  'u',
);
const TOWARDS = new RegExp(
  `(?<![\\p{L}\\p{M}])(?:to|from|a|à|de|da|para|per|em|en|von|aus|van|uit)\\s${FIRST_OF_TWO}$`,
  'u',
);
const MOTION =
  /(?<![\p{L}\p{M}])(?:fl(?:y|ew|ights?|ying)|trains?|bus|dr(?:iv|ov)\p{L}{1,5}|travel\p{L}{0,5}|trip|mov(?:ed|ing)|went|vuel\p{L}{1,5}|viaj\p{L}{1,5}|vamos|voy|tren|vol|voyage\p{L}{0,3}|vais|allons|vado|andiamo|treno|volo|viagg\p{L}{1,5}|vou|voo|viagem|comboio|trem|trein|vlucht|reis\p{L}{0,4}|fahr\p{L}{1,4}|flieg\p{L}{1,4}|flug|zug)(?![\p{L}\p{M}])/iu;
const LEAD = 40;
const FRENCH = /(?<![\p{L}\p{M}])(?:et|sont|je|nous|vous|dans|avec|c['’]est)(?![\p{L}\p{M}])/iu;
const FRENCH_ARTICLE = /(?<![\p{L}\p{M}])(?:le|la|les|un|une)\s$/iu;
const ARTICLE = /(?<![\p{L}\p{M}])(?:the|an?|el|los|las|les)\s$/iu;

/** "Flew to Austin", "in Verona"; in French, also "la Rose": no article precedes a person's name there. */
function isSaidAsPlace(text: string, { text: word, start }: Word, { isFrench }: Contexts): boolean {
  if (ALSO_PLACES.has(word)) return true;
  const lead = text.slice(Math.max(0, start - LEAD), start);
  if (INTO.test(lead) || (isFrench && FRENCH_ARTICLE.test(lead))) return true;
  if (AMBIGUOUS_FIRST_NAMES.has(word) && ARTICLE.test(lead)) return true;
  return TOWARDS.test(lead) && MOTION.test(lead);
}

const sentenceCase = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

const PLACES = new Set(
  'North South East West New Lake Port Fort Mount Saint San Santa St Upper Lower Old Great Bad'.split(' '),
);

const isPlace = (text: string, words: readonly Word[], at: number): boolean => {
  const last = words[at - 1];
  return (
    last !== undefined && PLACES.has(last.text) && /^\.?[ ]$/.test(text.slice(last.end, words[at]?.start))
  );
};

const beginsSentence = (text: string, start: number): boolean =>
  /(?:^|[.!?:;\n¿¡"“«(>-])\s*$/u.test(text.slice(Math.max(0, start - 4), start));

/** A capitalized word directly after the name marks an organization. */
function namesOrganization(text: string, words: readonly Word[], at: number, to: number): boolean {
  const last = words[to - 1] as Word;
  const next = words[to];
  return (
    next !== undefined &&
    isCapitalized(next.text) &&
    NO_NAMES.has(next.text) &&
    /^[ ](?:and |& )?$/.test(text.slice(last.end, next.start)) &&
    at < to
  );
}

function askedEnd(text: string, words: readonly Word[], at: number): number {
  const to = endOfUncapitalized(text, words, at);
  const last = words[to - 1];
  const rest = last === undefined ? '' : text.slice(last.end, last.end + 2);
  return to > at && (rest.trim() === '' || /^[.,!]/.test(rest)) ? to : at;
}
