import { type CodeRun, codeRuns, runFrom } from './code-runs.ts';
import type { PiiFinding } from './finding.ts';

/** Numbers of houses, written or said: "42", "12 bis", "forty two", "cuarenta y dos". */
const SAID_NUMBER =
  '(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\p{L}{3,6}teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|oh|uno?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieci\\p{L}{1,24}|veint\\p{L}{1,24}|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien(?:to)?|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingts?|trente|quarante|cinquante|soixante|cents?|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|tredici|quattordici|quindici|sedici|venti\\p{L}{0,24}|trenta\\p{L}{0,24}|quaranta\\p{L}{0,24}|cinquanta\\p{L}{0,24}|sessanta\\p{L}{0,24}|settanta\\p{L}{0,24}|ottanta\\p{L}{0,24}|novanta\\p{L}{0,24}|cento\\p{L}{0,24}|dois|duas|três|oito|dez|doze|treze|quinze|vinte|trinta|quarenta|cinquenta|sessenta|oitenta|cem|ein|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|\\p{L}{0,24}(?:zehn|zig|ßig|hundert)|een|twee|drie|vijf|zes|zeven|negen|tien|twaalf|\\p{L}{0,24}(?:tien|tig|honderd)|\\p{L}{0,12}(?:hundert|honderd)\\p{L}{1,24}|(?:due|tre|quattro|cinque|sei|sette|otto|nove)cento\\p{L}{0,24}|\\p{L}{2,6}cientos|quinientos|\\p{L}{2,6}[cz]entos|quinhentos)';
const NUMBER = `(?:\\p{Nd}{1,5}(?:[-/]\\p{Nd}{1,4})?(?:\\s?(?:bis|ter|[a-z])(?![\\p{L}\\p{M}]))?|${SAID_NUMBER}(?:(?:[\\s-]+|\\s(?:y|et|e|and|en)\\s)${SAID_NUMBER}){0,5}(?![\\p{L}\\p{M}]))`;
/** The length of a word is bounded, so that no pattern backtracks over a long one. */
const CAPITAL = "\\p{Lu}[\\p{L}\\p{M}'’.-]{0,48}";
const SMALL = "[\\p{L}\\p{M}][\\p{L}\\p{M}'’.-]{0,48}";
/** Hyphens belong to a capitalized word, so only spaces separate words. */
const TOWN = `${CAPITAL}(?: (?:(?:de|del|de la|la|le|les|sur|sous|en|am|an der|im|bei|di|do|da|van|aan|den|der|upon|on|of)[ -])?(?:l['’])?${CAPITAL}){0,3}`;
const POSTCODE =
  '(?:\\p{Nd}{5}(?:-\\p{Nd}{3,4})?|\\p{Nd}{4}-\\p{Nd}{3}|\\p{Nd}{4}\\s?[A-Z]{2}|[A-Z]{1,2}\\p{Nd}[A-Z\\p{Nd}]?\\s?\\p{Nd}[A-Z]{2}|[A-Z]\\p{Nd}[A-Z]\\s?\\p{Nd}[A-Z]\\p{Nd}|\\p{Nd}{3}\\s?\\p{Nd}{3}|\\p{Nd}{4,5})(?![\\p{L}\\p{Nd}])';
const insensitive = (word: string): string =>
  [...word]
    .map((letter) => (letter === letter.toUpperCase() ? letter : `[${letter}${letter.toUpperCase()}]`))
    .join('');
const either = (words: string): string => words.split('|').map(insensitive).join('|');

const FLOOR = `(?:,?\\s*(?:\\p{Nd}{1,2}[ºª°]|${either('primero|segundo|tercero|cuarto|quinto|sexto|bajo|ático|primo|secondo|terzo|quarto|piano')})(?:\\s*(?<=[\\sºª°])(?:\\p{Lu}|derecha|izquierda|exterior|interior|piano|andar))?(?![\\p{L}\\p{M}]))`;
const UNIT = `(?:,?\\s*(?:${either('apt|apartment|unit|suite|ste|flat|floor|room|piso|puerta|portal|escalera|bajo|izquierda|derecha|appartement|étage|bâtiment|bât|wohnung|stock|interno|scala|piano|apto|apartamento|andar|bloco')}|#)\\.?\\s*(?:\\p{Nd}+\\s?\\p{L}?|\\p{L})(?![\\p{L}\\p{M}]))`;
const REST = `${FLOOR}?${UNIT}{0,2}(?:(?:,\\s*|\\s+(?:in|en|à|a|em|te)\\s+|\\s*\\n\\s*|\\s+(?=\\p{Nd}))(?:${POSTCODE}(?:,?\\s+${TOWN})?|${TOWN}(?:,?\\s*[A-Z]{2}(?![\\p{L}]))?(?:,?\\s+${POSTCODE})?)){0,3}`;

const EDGE = '(?<![\\p{L}\\p{M}\\p{Nd}])';
const END = '(?![\\p{L}\\p{M}])';

/** The second list counts only after a capitalized word, because people also drive, walk and go up hills. */
const ENGLISH =
  'street|st|road|rd|avenue|ave|lane|ln|boulevard|blvd|crescent|parkway|pkwy|highway|terrace|circle|gardens|mews';
const ENGLISH_AMBIGUOUS =
  'drive|dr|way|court|ct|place|pl|square|sq|close|grove|row|hill|walk|park|view|trail|loop|point|plaza|ridge|green|path|run|alley|bypass|causeway|cove|estate|estates|expressway|extension|falls|ferry|field|fields|flats|ford|forest|forge|fork|forks|fort|freeway|garden|gateway|glen|harbor|haven|heights|hollow|inlet|island|isle|junction|keys|knolls|lake|lakes|landing|lodge|manor|meadow|meadows|mill|mills|mission|motorway|mount|mountain|neck|orchard|oval|overpass|parks|passage|pass|pike|pine|pines|plain|plains|port|prairie|radial|ramp|ranch|rapid|rapids|rest|river|route|shoal|shore|shores|spring|springs|spur|spurs|station|stravenue|stream|summit|throughway|trace|track|trafficway|turnpike|underpass|union|unions|valley|via|viaduct|village|ville|vista|walks|wall|well|wells';
const NOT_STREET =
  '(?!(?:minutes?|hours?|days?|weeks?|months?|years?|miles?|blocks?|people|percent|dollars?|euros?|pounds?|of|the|in|on|at|to|down|up|from|and|or|is|are|was|by|hour|minute|times?)(?![\\p{L}]))';

const PATTERNS: readonly RegExp[] = [
  // 42 Maple Street, 1600 Pennsylvania Avenue NW, forty two maple street
  `${NUMBER}\\s+(?:[NSEW]\\.?\\s+)?(?:${NOT_STREET}${SMALL}\\s+){1,3}(?:${either(ENGLISH)})${END}\\.?(?:\\s+(?:[NS][EW]?|[EW]))?`,
  `${NUMBER}\\s+(?:[NSEW]\\.?\\s+)?(?:${CAPITAL}\\s+){1,3}(?:${either(ENGLISH_AMBIGUOUS)})${END}\\.?`,
  // Any street where town, state and postal code follow: 8666 Garcia Roads, Suite 12, Brownland, IL 58254
  `\\p{Nd}{1,6}\\s+(?:${CAPITAL}\\s+){0,3}${CAPITAL}${UNIT}?,?\\s+${TOWN},?\\s+[A-Z]{2}\\s+\\p{Nd}{5}(?:-\\p{Nd}{4})?`,
  `(?:PSC|Unit|CMR)\\s+\\p{Nd}+,?\\s+Box\\s+\\p{Nd}+`,
  `(?:${either('p.o. box|po box|apartado de correos|boîte postale|postfach|casella postale|caixa postal|postbus')})\\s*\\p{Nd}{1,6}`,
  // calle Mayor 15, avenida de la Constitución número 3; rua das Flores, 25; via Roma 10
  `(?:${either('calle|c/|avenida|avda|av|plaza|paseo|pº|carretera|camino|ronda|travesía|callejón|glorieta|urbanización|pasaje|cuesta|costanilla|cañada|cerrada|rambla|acceso|vial|pasadizo|rua|r|travessa|praça|largo|alameda|estrada|rodovia|via|viale|piazza|corso|vicolo|strada|piazzale|vicolo|lungotevere')})\\.?\\s+(?:(?:de|del|de la|de las|de los|la|las|los|da|das|do|dos|di|della|dei|delle|degli|dell['’]|d['’])\\s*){0,2}(?:${CAPITAL}|\\p{Nd}{1,2}\\s+(?:de\\s+)?${SMALL}|${SMALL})(?:\\s+(?:(?:de|del|da|do|dos|das|di|e|y|la|las|los)\\s+){0,2}${CAPITAL}){0,4},?\\s*(?:${either('número|numero|núm|num|n.º|nº|n°|n')})?\\.?\\s*${NUMBER}`,
  // 12 rue de la Paix, 5 bis avenue Victor-Hugo
  `${NUMBER},?\\s+(?:${either('rue|avenue|av|boulevard|bd|place|allée|allées|chemin|impasse|quai|route|square|cours|passage|sentier|faubourg')})\\.?\\s+(?:(?:de|du|des|de la|de l['’]|d['’]|la|le|les|l['’])\\s*){0,2}${SMALL}(?:[\\s-]+(?:(?:de|du|des|la|le|les|et|l['’]|d['’])[\\s-]*){0,2}${CAPITAL}){0,3}`,
  // Hauptstraße 12, Goethestr. 5a, Lange Straße 7, Am Markt 5, Unter den Linden 77; Kerkstraat 12
  `(?:(?:${CAPITAL} ){0,2}\\p{Lu}[\\p{L}\\p{M}'’.-]{2,48}(?:${either('straße|strasse|str|weg|platz|allee|gasse|ring|damm|ufer|chaussee|stieg|pfad|straat|laan|plein|gracht|kade|dijk|steeg|singel|dreef|hof|pad|markt')})\\.?|(?:${CAPITAL}\\s+){1,2}(?:${either('straße|strasse|str|weg|platz|allee|gasse|ring|damm|ufer|straat|laan|plein|gracht|kade')})\\.?|(?:Am|An der|An den|Im|In der|In den|Auf dem|Auf der|Unter den|Zum|Zur|Hinter der|Vor dem)\\s+${CAPITAL}(?:\\s+${CAPITAL})?)\\s+(?:${either('nummer|nr')})?\\.?\\s*${NUMBER}`,
  // मकान नंबर 12, गली 5, गांधी नगर, दिल्ली 110001
  '(?:मकान|फ्लैट|प्लॉट|घर|बिल्डिंग)\\s+(?:नंबर|संख्या|नं\\.?)\\s*[\\p{L}\\p{M}\\p{Nd}-]{1,48}(?:[,\\s]{1,8}[\\p{L}\\p{M}\\p{Nd}-]{1,48}){0,6}?(?:[,\\s]{1,8}(?:नगर|रोड|मार्ग|गली|कॉलोनी|सेक्टर|विहार|पुर|चौक|बाज़ार)(?:\\s+\\p{Nd}+)?)(?:,?\\s+[\\p{L}\\p{M}]+)?(?:,?\\s+\\p{Nd}{6})?',
  '[\\p{L}\\p{M}\\p{Nd}]+,?\\s+[\\p{L}\\p{M}]+\\s+(?:नगर|रोड|मार्ग|गली|कॉलोनी|विहार|चौक)(?:,?\\s+[\\p{L}\\p{M}]+)?,?\\s+\\p{Nd}{6}',
  `(?:[A-Z]{1,2}\\p{Nd}[A-Z\\p{Nd}]?\\s\\p{Nd}[A-Z]{2})`,
  `${TOWN},\\s*[A-Z]{2}\\s+\\p{Nd}{5}(?:-\\p{Nd}{4})?`,
].map((pattern, at) => new RegExp(`${EDGE}${pattern}${at < 9 ? REST : ''}`, 'gu'));

const ANNOUNCED = new RegExp(
  `${EDGE}(?:${[
    /(?:i|we|she|he|they) lives? at|(?:my|our|the|his|her|their|new|home|billing|shipping|mailing|delivery|current|full|street|work|postal)\s+address\s*(?:is|:|would be|was)|address:|(?:send|ship|mail|deliver)(?:ed)? (?:it|that|them|this)? ?to(?= \p{Nd})/u,
    /vivo en(?: la)?|(?:mi|la|su|nuestra) dirección(?: \p{L}+)? es|dirección:|domicilio:|(?:mi|su) domicilio es|resido en/u,
    /j['’]habite(?: au)?|(?:mon|notre|votre|l['’]) ?adresse(?: \p{L}+)? (?:est|c['’]est)(?: le)?|adresse ?:|je réside au|domicilié au/u,
    /ich wohne (?:in der|im|am|an der|in)|(?:meine|die|unsere|ihre) (?:\p{L}+)?adresse (?:ist|lautet)|(?:\p{L}+)?anschrift (?:ist|lautet|:)|adresse:/u,
    /(?:abito|vivo|risiedo) (?:in|a|al)|(?:il mio|l['’]|il suo) ?indirizzo(?: \p{L}+)? è|indirizzo:/u,
    /(?:moro|vivo|resido) (?:na|no|em)|(?:a minha|minha|a) morada é|(?:o meu|meu|o) endereço(?: \p{L}+)? é|(?:morada|endereço):/u,
    /ik woon (?:op|aan|in|aan de)|(?:mijn|het) (?:\p{L}+)?adres is|adres:/u,
    /(?:मेरा|हमारा) (?:पता|एड्रेस)(?: है)?|पता:/,
  ]
    .map(({ source }) => source)
    .join('|')})[\\s:]*`,
  'giu',
);
const ANNOUNCED_END =
  /[.!?;।](?=\s|$)|\n|\u2028|,?\s+(?:and|but|so|my|i|i['’]m|you|please|y|pero|mi|tengo|et|mais|mon|ma|je|und|aber|mein|meine|ich|ma|mio|mia|sono|mas|meu|minha|mijn|maar|ik|और|मेरा|मेरी)\s/iu;
const HAS_NUMBER = new RegExp(`\\p{Nd}|(?<![\\p{L}\\p{M}])${SAID_NUMBER}(?![\\p{L}\\p{M}])`, 'u');
const MAX_ANNOUNCED = 120;
const NEAR = 8;
const MOST_OF_IT = 0.6;

const POSTAL = new RegExp(
  `${EDGE}(?:zip(?:\\s?code)?|post\\s?code|postal\\s?code|código postal|code postal|postleitzahl|plz|cap|cep|postcode|पिन\\s?कोड)${END}`,
  'giu',
);
const HOUSE = new RegExp(
  `${EDGE}(?:house number|huisnummer|hausnummer|numero civico|número da porta|número de (?:la casa|portal)|numéro de rue|मकान (?:नंबर|संख्या))${END}`,
  'giu',
);
/** Codes of all served countries, as they are without spaces and hyphens. */
const POSTAL_CODE = /^(?:\d{4,9}|\d{4}[A-Z]{2}|[A-Z]{1,2}\d[A-Z\d]?\d[A-Z]{2}|[A-Z]\d[A-Z]\d[A-Z]\d)$/;
const HOUSE_NUMBER = /^\d{1,5}[A-Z]?$/;
const LEADS_TO_CODE =
  /^[\s:,]{0,3}(?:(?:number|is|es|el|est|c['’]est|le|ist|die|der|lautet|è|il|é|o|um|uh|eh|euh|ähm?|है)[\s:,]{1,3}){0,3}$/iu;

/** Codes may be said: "postcode een nul een twee AB". */
function calledCodes(text: string, called: RegExp, shape: RegExp, runs: () => readonly CodeRun[]): CodeRun[] {
  const found: CodeRun[] = [];
  let next = 0;
  for (const { 0: words, index } of text.matchAll(called)) {
    const end = index + words.length;
    while (next < runs().length && (runs()[next] as CodeRun).end <= end) next += 1;
    const run = runs()[next] && runFrom(runs()[next] as CodeRun, end);
    if (run !== undefined && shape.test(run.text) && LEADS_TO_CODE.test(text.slice(end, run.start)))
      found.push(run);
  }
  return found;
}

export function addressFindings(text: string): readonly PiiFinding[] {
  const findings: PiiFinding[] = [];
  const add = (start: number, end: number) => findings.push({ type: 'ADDRESS', start, end });
  for (const pattern of PATTERNS)
    for (const { 0: found, index } of text.matchAll(pattern))
      add(index, index + found.replace(/[\s,.]+$/u, '').length);
  for (const match of text.matchAll(ANNOUNCED)) {
    const start = match.index + match[0].length;
    const rest = text.slice(start, start + MAX_ANNOUNCED);
    const stop = rest.search(ANNOUNCED_END);
    const said = (stop < 0 ? rest : rest.slice(0, stop)).replace(/[\s,.]+$/u, '').replace(/\s+(?:में|है)$/u, '');
    // A recognized street marks the end of an address better than the sentence does.
    const isKnown = findings.some(
      (found) => found.start - start < NEAR && found.end > start + said.length * MOST_OF_IT,
    );
    if (!isKnown && said !== '' && HAS_NUMBER.test(said)) add(start, start + said.length);
  }
  let read: readonly CodeRun[] | undefined;
  const runs = () => (read ??= codeRuns(text));
  for (const { start, end } of calledCodes(text, POSTAL, POSTAL_CODE, runs)) add(start, end);
  for (const { start, end } of calledCodes(text, HOUSE, HOUSE_NUMBER, runs)) add(start, end);
  return findings;
}
